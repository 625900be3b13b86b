import { expect, test } from "@jest/globals";
import { importClient } from "./generated-module.test-kit.ts";

const document = {
  openapi: "3.1.0",
  info: { title: "Events", version: "1" },
  paths: {
    "/": {
      get: {
        operationId: "events",
        responses: { 200: { description: "", content: { "text/event-stream": {} } } },
      },
    },
  },
};

/** Returns the events that a client gets from a stream with this text. */
const eventsOf = async (text: string, options: object = {}): Promise<unknown[]> => {
  const fetch = () => new Response(text, { headers: { "content-type": "text/event-stream" } });
  await using client = (await importClient(document))("http://events.test", { fetch, ...options });
  const stream = (await client["events"]?.())?.body as AsyncIterable<unknown>;
  const events: unknown[] = [];
  for await (const event of stream) events.push(event);
  return events;
};

test("a retry field without data belongs to the next event only", async () => {
  expect(await eventsOf("retry: 10\n\ndata: a\n\ndata: b\n\n")).toEqual([
    { event: "message", data: "a", id: "", retryMs: 10 },
    { event: "message", data: "b", id: "" },
  ]);
});

test("comments do not count towards the size of the event after them", async () => {
  const [event] = await eventsOf(`${": ping\n".repeat(1000)}data: a\n\n`, { maxEventCharacters: 20 });
  expect(event).toEqual({ event: "message", data: "a", id: "" });
});

test("a reader that stops before its first read cancels the stream, so that its connection is free", async () => {
  let isCancelled = false;
  const fetch = () =>
    new Response(new ReadableStream({ cancel: () => void (isCancelled = true) }), {
      headers: { "content-type": "text/event-stream" },
    });
  await using client = (await importClient(document))("http://events.test", { fetch, maxCalls: 1 });
  for (let call = 0; call < 2; call++) {
    const stream = (await client["events"]?.())?.body as AsyncIterable<unknown>;
    isCancelled = false;
    await stream[Symbol.asyncIterator]().return?.();
    expect(isCancelled).toBe(true);
  }
});
