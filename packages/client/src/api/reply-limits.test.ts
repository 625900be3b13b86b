import { expect, test } from "@jest/globals";
import { importClient } from "./generated-module.test-kit.ts";

const reply = (content?: object) => ({ description: "", ...(content && { content }) });
const document = {
  openapi: "3.1.0",
  info: { title: "Mixed", version: "1" },
  paths: {
    "/open": {
      get: {
        operationId: "open",
        responses: { 200: reply({ "application/json": {} }), default: reply() },
      },
    },
    "/events": {
      get: {
        operationId: "events",
        responses: { 200: reply({ "text/event-stream": {} }), 500: reply({ "application/json": {} }) },
      },
    },
    "/file": {
      get: {
        operationId: "file",
        responses: { 200: reply({ "application/pdf": {}, "application/json": {} }) },
      },
    },
  },
};

/** Creates a reply whose body starts, and ends when the test closes the writer. */
const startReply = (status: number, type: string) => {
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>>();
  const writer = writable.getWriter();
  writer.write(new TextEncoder().encode("[1")).catch(() => {}); // the client has cancelled
  return { reply: new Response(readable, { status, headers: { "content-type": type } }), writer };
};

test.each([
  ["open", 200, "application/json"],
  ["open", 500, "text/plain"],
  ["events", 500, "application/json"],
  ["events", 404, "text/event-stream"], // undeclared
])(
  "a body of %s %d that is not a stream fails at timeoutMs, regardless of the operation's other replies",
  async (name, status, type) => {
    const createClient = await importClient(document);
    await using client = createClient("http://mixed.test", {
      timeoutMs: 50,
      fetch: () => startReply(status, type).reply,
    });
    await expect(client[name]?.()).rejects.toMatchObject({
      code: status === 404 ? "CLIENT_UNDECLARED_REPLY" : "CLIENT_TIMEOUT",
    });
  },
);

test("a body that is read as a stream may last longer than timeoutMs, and be larger than maxReplyBytes", async () => {
  const createClient = await importClient(document);
  const { reply: pdf, writer } = startReply(200, "application/pdf");
  await using client = createClient("http://mixed.test", {
    timeoutMs: 50,
    maxReplyBytes: 3,
    fetch: ({ url }) => (url.endsWith("/file") ? pdf : startReply(200, "application/json").reply),
  });
  const file = await client["file"]?.();
  const later = await Promise.allSettled([client["open"]?.()]);
  expect(later).toMatchObject([{ reason: { code: "CLIENT_TIMEOUT" } }]);
  const text = new Response(file?.body as ReadableStream).text();
  await writer.write(new TextEncoder().encode(",2]"));
  await writer.close();
  expect(await text).toBe("[1,2]");
});
