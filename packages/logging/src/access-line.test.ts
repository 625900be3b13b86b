import { App, type HttpRequest } from "@framework/core";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { jsonAccessLine } from "./access-line.ts";

const outcome = { latencyMs: 1.5, bytes: 3, aborted: false, error: null, details: null };
const requests = fc.record({
  method: fc.constantFrom("GET", "POST"),
  path: fc.constantFrom("/books/1", "/books/2", `/books/${"é".repeat(200)}`, '/books/"'),
  route: fc.constantFrom("/books/{id}", "/books/{isbn}", null),
  clientIp: fc.constantFrom("192.0.2.1", "192.0.2.2", null),
  status: fc.constantFrom(200, 404, 500),
});

test("cached parts of earlier lines never appear in a line", async () => {
  let context: HttpRequest["context"] | null = null;
  const app = new App();
  app.get("/", (request) => void ({ context } = request));
  await using client = testClient(app);
  await client.get("/");
  const line = jsonAccessLine(() => "2026-01-31T12:00:00.000Z");
  fc.assert(
    fc.property(fc.array(requests, { maxLength: 30 }), (entries) => {
      for (const { status, ...members } of entries) {
        const request = { ...members, requestId: null, context } as unknown as HttpRequest;
        const { method, path, route, clientIp } = members;
        expect(JSON.parse(line(request, { ...outcome, status }))).toEqual({
          level: { 200: "info", 404: "warn", 500: "error" }[status],
          status,
          timestamp: "2026-01-31T12:00:00.000Z",
          method,
          path,
          latency: 1.5,
          bytes: 3,
          ...(route === null ? {} : { route }),
          ...(clientIp === null ? {} : { client_ip: clientIp }),
        });
      }
    }),
  );
});
