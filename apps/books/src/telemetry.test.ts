import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { socketClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { createBooksApp } from "./app.ts";
import { booksSettings } from "./settings.ts";

test("with a collector, one trace has the request, its statements, its message and the indexing of it", async () => {
  const bodies: string[] = [];
  const collector = createServer((request, reply) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.url === "/v1/traces") bodies.push(Buffer.concat(chunks).toString("latin1"));
      reply.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => void collector.listen(0, "127.0.0.1", resolve));
  const { port } = collector.address() as AddressInfo;
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const app = createBooksApp(
    booksSettings({
      DATABASE_URL: "sqlite://:memory:",
      BOOKS_LOG: "silent",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    }),
  );
  {
    await using client = socketClient(app);
    const reply = await client.post("/books", {
      json: { title: "Emma", author: "Jane Austen", genre: "Novel", year: 1815 },
      headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
    });
    expect([reply.status, reply.headers.get("x-trace-id")]).toEqual([201, traceId]);
    await waitFor(async () => (await client.get("/search?word=emma")).text.includes("Emma"));
  }
  const id = Buffer.from(traceId, "hex").toString("latin1");
  const sent = bodies.join("");
  expect(sent.split(id).length - 1).toBeGreaterThanOrEqual(4);
  for (const name of ["POST /books", "INSERT", "send books", "process books"]) expect(sent).toContain(name);
  collector.closeAllConnections();
  collector.close();
});
