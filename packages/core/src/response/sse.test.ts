import { PassThrough } from "node:stream";
import { afterEach, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { App, Response } from "../index.ts";
import { payloadBytes } from "./readable-stream.ts";
import { type EventSource, eventFrame, eventStream, type ServerSentEvent } from "./sse.ts";

const bad = expect.objectContaining({ code: "CORE_BAD_EVENT" });
const textOf = async (events: EventSource) =>
  new TextDecoder().decode(await payloadBytes(eventStream(events)));

afterEach(() => {
  jest.useRealTimers();
});

/** Parses a stream as clients do (HTML Standard 9.2.6); deliberately independent of the implementation. */
const parse = (text: string): { data?: string; event?: string; id?: string; retry?: string }[] =>
  text
    .split(/\r\n\r\n|\n\n|\r\r/)
    .slice(0, -1)
    .map((block) => {
      const read: Record<string, string> = {};
      for (const line of block.split(/\r\n|\n|\r/)) {
        const [, field = "", value = ""] = /^([^:]*)(?:: ?)?(.*)$/s.exec(line) ?? [];
        read[field] = field === "data" && "data" in read ? `${read["data"]}\n${value}` : value;
      }
      return read;
    });

test("writes every field", () => {
  expect(eventFrame({ data: "a\nb", event: "tick", id: "7", retry: 500 })).toBe(
    "event: tick\nid: 7\nretry: 500\ndata: a\ndata: b\n\n",
  );
});

test("sends strings as data and anything else as JSON", async () => {
  const events = [
    "hi",
    { data: { a: [1, "\n"] } },
    { data: 5 },
    { data: null },
    { data: "" },
    { retry: 1 },
    { id: "" },
  ];
  expect(await textOf(events)).toBe(
    'data: hi\n\ndata: {"a":[1,"\\n"]}\n\ndata: 5\n\ndata: null\n\ndata: \n\nretry: 1\n\nid: \n\n',
  );
});

test("a client reads back the sent events, with every line break as LF", () => {
  const anyText = fc.string({
    unit: fc.constantFrom("a", ":", " ", "\n", "\r", "\0", "data", "é", "\u2028"),
  });
  const name = fc.string({ unit: fc.constantFrom("a", ":", "-", "é", "\u2028") });
  const event = fc.record(
    { data: anyText, event: name, id: name, retry: fc.nat() },
    { requiredKeys: ["data"] },
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 4 }), (events) => {
      const read = parse(events.map((one) => eventFrame(one)).join(""));
      expect(read).toEqual(
        events.map(({ data, retry, ...rest }) => ({
          ...rest,
          data: data.replaceAll(/\r\n|\r/g, "\n"),
          ...(retry === undefined ? {} : { retry: String(retry) }),
        })),
      );
    }),
    { numRuns: 300 },
  );
});

test.each<[unknown]>([
  [{ data: "x", event: "a\nb" }],
  [{ data: "x", event: "a\rdata: b" }],
  [{ data: "x", id: "a\nb" }],
  [{ data: "x", id: "a\r" }],
  [{ data: "x", id: "a\0b" }],
  [{ data: "x", id: 5 }],
  [{ data: "x", event: null }],
  [{ data: "x", retry: 1.5 }],
  [{ data: "x", retry: -1 }],
  [{ data: "x", retry: "5\ndata: y" }],
  [{ price: 3 }],
  [{ data: "x", Event: "y" }],
  [5],
  [null],
  [undefined],
])("rejects %j", (event) => {
  expect(() => eventFrame(event)).toThrow(bad);
});

test("an invalid event fails the stream after the valid ones and closes the source", async () => {
  let isClosed = false;
  const source = (async function* (): AsyncGenerator<ServerSentEvent> {
    try {
      yield { data: "good" };
      yield { data: "bad", id: "\n" };
    } finally {
      isClosed = true;
    }
  })();
  const iterator = eventStream(source).chunks[Symbol.asyncIterator]();
  expect(new TextDecoder().decode((await iterator.next()).value)).toBe("data: good\n\n");
  await expect(iterator.next()).rejects.toMatchObject({ code: "CORE_BAD_EVENT" });
  expect(isClosed).toBe(true);
});

/** A source with one event, which the test pushes. */
const pushSource = () => {
  const waiting = Promise.withResolvers<IteratorResult<string>>();
  const seen = { pulls: 0, returns: 0, push: (value: string) => waiting.resolve({ done: false, value }) };
  const source = {
    [Symbol.asyncIterator]: () => ({
      next: () => (seen.pulls++, waiting.promise),
      return: () => (seen.returns++, Promise.resolve({ done: true, value: undefined })),
    }),
  } as unknown as AsyncIterable<string>;
  return { seen, source };
};

test("sends a comment after each 15 s without an event and does not pull the pending event again", async () => {
  jest.useFakeTimers();
  const { seen, source } = pushSource();
  const iterator = eventStream(source).chunks[Symbol.asyncIterator]();
  for (let beat = 0; beat < 3; beat++) {
    let isSettled = false;
    const next = iterator.next();
    void next.then(() => (isSettled = true));
    await jest.advanceTimersByTimeAsync(14_999);
    expect(isSettled).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(new TextDecoder().decode((await next).value)).toBe(":\n\n");
  }
  const next = iterator.next();
  await jest.advanceTimersByTimeAsync(10);
  seen.push("now");
  expect(new TextDecoder().decode((await next).value)).toBe("data: now\n\n");
  expect([seen.pulls, jest.getTimerCount()]).toEqual([1, 0]);
});

test("an event that arrived between two pulls is returned at once", async () => {
  jest.useFakeTimers();
  const { seen, source } = pushSource();
  const iterator = eventStream(source).chunks[Symbol.asyncIterator]();
  const first = iterator.next();
  await jest.advanceTimersByTimeAsync(15_000);
  await first;
  seen.push("now");
  await Promise.resolve();
  expect(new TextDecoder().decode((await iterator.next()).value)).toBe("data: now\n\n");
});

test("continues to send heartbeats after an event", async () => {
  jest.useFakeTimers();
  const source = (async function* (): AsyncGenerator<string> {
    yield "a";
    await new Promise(() => {});
  })();
  const iterator = eventStream(source).chunks[Symbol.asyncIterator]();
  await iterator.next();
  const second = iterator.next();
  await jest.advanceTimersByTimeAsync(15_000);
  expect(new TextDecoder().decode((await second).value)).toBe(":\n\n");
});

test("sends no heartbeat if heartbeatSecs is 0", async () => {
  jest.useFakeTimers();
  const { seen, source } = pushSource();
  const next = eventStream(source, { heartbeatSecs: 0 }).chunks[Symbol.asyncIterator]().next();
  expect(jest.getTimerCount()).toBe(0);
  seen.push("now");
  expect(new TextDecoder().decode((await next).value)).toBe("data: now\n\n");
});

test("cancelling closes a pending source at once and clears the timer", async () => {
  jest.useFakeTimers();
  const { seen, source } = pushSource();
  const iterator = eventStream(source).chunks[Symbol.asyncIterator]();
  const pending = iterator.next();
  await jest.advanceTimersByTimeAsync(1);
  expect(jest.getTimerCount()).toBe(1);
  await iterator.return?.();
  expect(await pending).toEqual({ done: true, value: undefined });
  expect([seen.returns, jest.getTimerCount()]).toEqual([1, 0]);
});

test("the source's error ends the stream and clears the timer", async () => {
  jest.useFakeTimers();
  const failing = (async function* (): AsyncGenerator<string> {
    yield "a";
    throw new Error("broken");
  })();
  await expect(payloadBytes(eventStream(failing))).rejects.toThrow("broken");
  expect(jest.getTimerCount()).toBe(0);
});

test.each([-1, Number.NaN, Infinity, "15"])("rejects heartbeatSecs %p", (heartbeatSecs) => {
  expect(() => eventStream([], { heartbeatSecs: heartbeatSecs as number })).toThrow(bad);
});

test("a misspelt field of an event is rejected, and the error suggests the nearest name", () => {
  expect(() => eventFrame({ evnt: "tick", data: 1 })).toThrow(
    'an event has no field "evnt"; did you mean "event"? Otherwise yield { data: … } to send an object',
  );
  expect(() => eventFrame({ total: 1 })).toThrow(
    'an event has no field "total"; yield { data: … } to send an object',
  );
});

const openSources = () => {
  const closed = Promise.withResolvers<void>();
  const node = new PassThrough({ objectMode: true });
  const web = new ReadableStream<string>({ cancel: () => closed.resolve() });
  return { node, web, isWebClosed: closed.promise };
};

const appWithEvents = (sources: Readonly<Record<string, EventSource>>): App => {
  const app = new App();
  for (const [name, source] of Object.entries(sources))
    app.get(`/${name}`, () => Response.sse(source, { heartbeatSecs: 0 }));
  return app;
};

test("a web stream and a Node stream of events are closed when a client disconnects while they are idle", async () => {
  const { node, web, isWebClosed } = openSources();
  const app = appWithEvents({ node, web });
  for (const name of ["node", "web"]) {
    const { body } = await app.fetch(new Request(`http://host.test/${name}`));
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    const pending = reader.read();
    await new Promise((resolve) => setImmediate(resolve)); // the first event is being awaited
    await reader.cancel();
    expect((await pending).done).toBe(true);
  }
  await isWebClosed;
  expect(node.destroyed).toBe(true);
});

test("a reply to HEAD closes a web stream and a Node stream of events", async () => {
  const { node, web, isWebClosed } = openSources();
  const app = appWithEvents({ node, web });
  for (const name of ["node", "web"])
    await app.fetch(new Request(`http://host.test/${name}`, { method: "HEAD" }));
  await isWebClosed;
  expect(node.destroyed).toBe(true);
});

test("a Node stream of events may fail before the first event is pulled", async () => {
  const { node } = openSources();
  const reply = Response.sse(node);
  node.destroy(new Error("broken"));
  await new Promise((resolve) => setImmediate(resolve)); // an unhandled error event would end the process
  await expect(reply.text()).rejects.toThrow("broken");
});

test("sse rejects a generator function that was not called, and a promise", () => {
  expect(() => Response.sse(function* () {} as never)).toThrow(
    "a body must be a stream or an iterable of events, not a function; call the function and pass its result",
  );
  expect(() => Response.sse(Promise.reject(new Error("unread")) as never)).toThrow(
    "not a promise; await it and pass its value",
  );
});

test("a client that disconnects after a heartbeat does not wait for a generator that never settles", async () => {
  jest.useFakeTimers();
  const idle = (async function* () {
    await new Promise(() => {});
    yield "never";
  })();
  const reply = Response.sse(idle, { heartbeatSecs: 1 });
  const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
  const heartbeat = reader.read();
  await jest.advanceTimersByTimeAsync(1000);
  expect((await heartbeat).done).toBe(false);
  await reader.cancel();
  expect((await reader.read()).done).toBe(true);
});

test("an event that is a promise fails the body, and its rejection does not end the process", async () => {
  const unhandled: unknown[] = [];
  const record = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", record);
  try {
    await expect(textOf([Promise.reject(new Error("lost"))] as unknown as string[])).rejects.toThrow(
      "an event must be a string or an object, not a promise; await it and pass its value",
    );
    await new Promise((resolve) => setImmediate(resolve)); // Node reports unhandled rejections at the end of a turn
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", record);
  }
});
