import { socketClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { createBooksApp } from "./app.ts";
import { startCollector } from "./collector.test-kit.ts";
import { booksSettings } from "./settings.ts";

const [traceId, caller] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
const headers = { traceparent: `00-${traceId}-${caller}-01` };

test("with a collector, one trace has the request, its statements, its message and the indexing", async () => {
  await using collector = await startCollector();
  const app = createBooksApp(
    booksSettings({
      DATABASE_URL: "sqlite://:memory:",
      BOOKS_LOG: "silent",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    }),
  );
  {
    await using client = socketClient(app);
    const json = { title: "Emma", author: "Jane Austen", genre: "Novel", year: 1815 };
    const reply = await client.post("/books", { json, headers });
    expect([reply.status, reply.headers.get("x-trace-id")]).toEqual([201, traceId]);
    await waitFor(async () => (await client.get("/search?word=emma")).text.includes("Emma"));
    const id = String((reply.json() as { readonly id: number }).id);
    const borrowed = await client.post(`/books/${id}/loan`, { json: { member: "ada" }, headers });
    expect(borrowed.status).toBeLessThan(300);
  } // the app has stopped, so it has sent all spans
  const ofTrace = collector.spans.filter(({ trace }) => trace === traceId);
  const named = (name: string) => ofTrace.filter((span) => span.name === name);
  const [request, send, process] = ["POST /books", "send books", "process books"].map(
    (name) => named(name)[0],
  );
  expect(request?.parent).toBe(caller);
  expect(process?.parent).toBe(send?.id);
  const statements = ofTrace.filter(({ name }) => name === "INSERT").map(({ parent }) => parent);
  expect(statements).toEqual(expect.arrayContaining([process?.id]));
  expect(ofTrace.map(({ name }) => name)).toContain("command BorrowBook");
});
