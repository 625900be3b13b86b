import { waitFor } from "@framework/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { FailedCall, grpcClient, type GrpcClientOptions } from "./client.ts";
import { aBook, all, catalog, failure, serve, type ServedApp } from "./grpc-app.test-kit.ts";
import { GrpcError } from "./index.ts";

let served: ServedApp;
let begun = 0;
let ended: string[] = [];

beforeAll(async () => {
  const untilAborted = async (signal: AbortSignal): Promise<never> => {
    begun++;
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    ended.push((signal.reason as { status: string }).status);
    throw signal.reason;
  };
  served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0" });
    app.addGrpcService(catalog, {
      GetBook: (_, { signal }) => untilAborted(signal),
      async *ListBooks(_, { signal }) {
        yield aBook(1);
        await untilAborted(signal);
      },
      async *Chat(lines, { signal }) {
        yield { text: "a" };
        await untilAborted(signal);
        yield* lines;
      },
    });
  });
});

afterAll(() => served[Symbol.asyncDispose]());

beforeEach(() => {
  begun = 0;
  ended = [];
});

async function* unfinished(): AsyncGenerator<{ text: string }> {
  yield { text: "a" };
  await new Promise(() => {});
}

const failingSource: Iterable<{ text: string }> = {
  [Symbol.iterator]: () => {
    throw new Error("the source failed");
  },
};

test("close ends calls in progress with CANCELLED, on the client and on the server", async () => {
  const client = grpcClient(catalog, served.target, { timeoutMs: 0 });
  const calls = [
    failure(client.GetBook({ id: 1 })),
    failure(all(client.ListBooks({ count: 1 }))),
    failure(all(client.Chat(unfinished()))),
  ];
  await waitFor(() => begun === 3);
  client.close();
  for (const error of await Promise.all(calls)) expect(error).toMatchObject({ status: "CANCELLED" });
  await waitFor(() => ended.length === 3);
  expect(ended).toEqual(["CANCELLED", "CANCELLED", "CANCELLED"]);
});

test("close ends calls that have no connection yet, and later calls, with CANCELLED", async () => {
  const client = grpcClient(catalog, "127.0.0.1:1", { timeoutMs: 0 });
  const call = failure(client.GetBook({ id: 1 }));
  const stream = failure(all(client.ListBooks({ count: 1 })));
  client.close();
  expect(await call).toMatchObject({ status: "CANCELLED" });
  expect(await stream).toMatchObject({ status: "CANCELLED" });
  expect(await failure(client.GetBook({ id: 1 }))).toMatchObject({ status: "CANCELLED" });
  expect(await failure(all(client.ListBooks({ count: 1 })))).toMatchObject({ status: "CANCELLED" });
});

const passThrough: GrpcClientOptions["use"] = [
  async (call, next) => {
    const responses = (await next(call)) as AsyncIterable<unknown>;
    return (async function* () {
      try {
        yield* responses;
      } finally {
        ended.push("middleware");
      }
    })();
  },
];

test.each([
  ["without middleware", [], ["CANCELLED"]],
  ["with middleware", passThrough, ["CANCELLED", "middleware"]],
])("ending an iteration before its first message cancels the call, %s", async (_, use, expected) => {
  const client = served.client(catalog, { timeoutMs: 0, use });
  const stream = client.ListBooks({ count: 1 })[Symbol.asyncIterator]();
  await waitFor(() => begun === 1);
  expect(await stream.return?.()).toEqual({ done: true, value: undefined });
  await waitFor(() => ended.length === expected.length);
  expect(ended.toSorted()).toEqual(expected);
  expect(await stream.next()).toEqual({ done: true, value: undefined });
});

test("a call that is cancelled in the event-loop turn in which it was made does not continue on the server", async () => {
  const client = served.client(catalog, { timeoutMs: 0 });
  const first = new AbortController();
  const warm = failure(client.GetBook({ id: 1 }, { signal: first.signal }));
  await waitFor(() => begun === 1);
  const second = new AbortController();
  const { signal } = second;
  const calls = [
    failure(client.GetBook({ id: 1 }, { signal })),
    failure(all(client.ListBooks({ count: 1 }, { signal }))),
    failure(all(client.Chat(unfinished(), { signal }))),
  ];
  second.abort();
  calls.push(failure(client.GetBook({ id: 1 }, { signal })), failure(all(client.Chat(failingSource))));
  const abandoned = client.ListBooks({ count: 1 })[Symbol.asyncIterator]();
  await abandoned.return?.();
  for (const error of await Promise.all(calls)) expect(error).toMatchObject({ status: "CANCELLED" });
  const before = begun;
  const last = failure(client.GetBook({ id: 1 }));
  await waitFor(() => begun > before);
  first.abort();
  expect(await warm).toMatchObject({ status: "CANCELLED" });
  await waitFor(() => ended.length === begun - 1, { subject: "the end of all calls but the last" });
  client.close();
  expect(await last).toMatchObject({ status: "CANCELLED" });
});

test("a call that is never sent, because its signal aborted or its client is closed, cancels its source", async () => {
  const client = served.client(catalog);
  const cancelled: string[] = [];
  const source = (name: string) =>
    new ReadableStream<{ text: string }>({ cancel: () => void cancelled.push(name) });
  const signal = AbortSignal.abort();
  expect(await failure(all(client.Chat(source("aborted"), { signal })))).toMatchObject({
    status: "CANCELLED",
  });
  client.close();
  expect(await failure(all(client.Chat(source("closed"))))).toMatchObject({ status: "CANCELLED" });
  expect(cancelled).toEqual(["aborted", "closed"]);
});

test.each<[string, GrpcClientOptions, object]>([
  ["invalid options", {}, { timeoutMs: -1 }],
  [
    "invalid metadata of middleware",
    { use: [(call, next) => (call.metadata.set("a b", "c"), next(call))] },
    {},
  ],
  ["middleware that refuses it", { use: [() => new FailedCall(new GrpcError("ABORTED", "refused"))] }, {}],
  ["middleware that throws", { use: [() => Promise.reject(new Error("refused"))] }, {}],
])("a call that is never sent because of %s cancels its source", async (_, options, callOptions) => {
  const client = served.client(catalog, options);
  let cancelled = 0;
  const source = (): AsyncIterable<never> => ({
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.reject(new Error("the source was read")),
      return: async () => (cancelled++, { done: true as const, value: undefined }),
    }),
  });
  await failure(client.AddBooks(source(), callOptions));
  await failure(all(client.Chat(source(), callOptions)));
  await waitFor(() => cancelled > 1);
  expect(cancelled).toBe(2);
});
