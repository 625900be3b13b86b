import { getEventListeners } from "node:events";
import { waitFor } from "@framework/testing";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { FailedCall, grpcClient } from "./client.ts";
import { aBook, all, catalog, failure, serve, type ServedApp } from "./grpc-app.test-kit.ts";
import { GrpcError, structService } from "./index.ts";

let served: ServedApp;
let attempts = 0;

beforeAll(async () => {
  served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0" });
    app.addGrpcService(catalog, {
      GetBook: async ({ id }, call) => {
        attempts++;
        if (id === 3 && attempts < 3) throw new GrpcError("UNAVAILABLE", "not yet");
        if (id === 5) {
          const inner = served.client(catalog);
          return inner.GetBook({ id: 6 }, { within: call });
        }
        if (id === 6) return { ...aBook(id), title: `${call.remainingMs()}` };
        return { ...aBook(id), title: call.metadata.get("x-from") ?? "none" };
      },
      *ListBooks({ count }, call) {
        if (call.metadata.get("x-fail") !== null) throw new GrpcError("DATA_LOSS", "lost");
        for (let id = 1; id <= count; id++) yield aBook(id);
      },
    });
  });
});

afterAll(() => served[Symbol.asyncDispose]());

test("a call is retried only with a retry policy, and only for the statuses of the policy", async () => {
  attempts = 0;
  const retry = { maxAttempts: 4, initialDelayMs: 1, maxDelayMs: 2 };
  expect(await served.client(catalog, { retry }).GetBook({ id: 3 })).toMatchObject({ id: 3 });
  expect(attempts).toBe(3);
  const others = { retry: { ...retry, statuses: ["ABORTED"] } } as const;
  for (const options of [{}, others]) {
    attempts = 0;
    const call = served.client(catalog, options).GetBook({ id: 3 });
    expect(await failure(call)).toMatchObject({ status: "UNAVAILABLE" });
    expect(attempts).toBe(1);
  }
});

test("maxDelayMs also limits the delay before the second attempt", async () => {
  attempts = 0;
  const retry = { maxAttempts: 4, initialDelayMs: 86_400_000, maxDelayMs: 1 };
  expect(await served.client(catalog, { retry }).GetBook({ id: 3 })).toMatchObject({ id: 3 });
  expect(attempts).toBe(3);
});

test("middleware gets the call, can add metadata, and gets the response or the failure", async () => {
  const seen: unknown[] = [];
  const client = served.client(catalog, {
    use: [
      async (call, next) => {
        call.metadata.set("x-from", "middleware");
        const response = await next(call);
        seen.push(call.name, response instanceof FailedCall ? response.error.status : "OK");
        return response;
      },
    ],
  });
  expect(await client.GetBook({ id: 1 })).toMatchObject({ title: "middleware" });
  expect(await failure(client.GetBook({ id: -1 }))).toMatchObject({ status: "INVALID_ARGUMENT" });
  expect(await all(client.ListBooks({ count: 2 }))).toHaveLength(2);
  expect(seen).toEqual([
    "books.v1.Catalog/GetBook",
    "OK",
    "books.v1.Catalog/GetBook",
    "INVALID_ARGUMENT",
    "books.v1.Catalog/ListBooks",
    "OK",
  ]);
});

test("a call that is made within another call inherits its deadline", async () => {
  const { title } = await served.client(catalog).GetBook({ id: 5 }, { timeoutMs: 30_000 });
  expect(Number(title)).toBeGreaterThan(0);
  expect(Number(title)).toBeLessThanOrEqual(30_000); // the inner client's own timeout is 60 s
});

test("a request of the wrong type is never sent", async () => {
  attempts = 0;
  expect(await failure(served.client(catalog).GetBook({ id: "1" as unknown as number }))).toMatchObject({
    message: expect.stringContaining("message.id must be a whole number"),
  });
  expect(attempts).toBe(0);
});

test("a call with invalid options rejects with every mistake, and is not sent", async () => {
  attempts = 0;
  const client = served.client(catalog);
  const invalid = { timeoutMs: "5", metdata: {}, signal: new AbortController(), within: {} } as never;
  const every = expect.stringMatching(
    /no field "metdata"; did you mean "metadata"[^]*signal must be an AbortSignal[^]*timeoutMs must be a whole number[^]*within must be the call/,
  );
  expect(await failure(client.GetBook({ id: 1 }, invalid))).toMatchObject({
    name: "ConfigurationError",
    message: every,
  });
  expect(await failure(all(client.ListBooks({ count: 1 }, invalid)))).toMatchObject({ message: every });
  expect(await failure(client.GetBook({ id: 1 }, 500 as never))).toMatchObject({
    message: expect.stringContaining("GrpcCallOptions must be an object with fields"),
  });
  expect(await client.GetBook({ id: 1 }, { timeoutMs: undefined } as never)).toMatchObject({ id: 1 });
  expect(attempts).toBe(1);
});

test("a stream that fails before it is read still throws its error when it is read", async () => {
  const { signal } = new AbortController();
  const stream = served.client(catalog).ListBooks({ count: 1 }, { metadata: { "x-fail": "1" }, signal });
  const isActive = (): boolean => getEventListeners(signal, "abort").length > 0;
  expect(isActive()).toBe(true);
  await waitFor(() => !isActive()); // the failure has arrived
  expect(await failure(all(stream))).toMatchObject({ status: "DATA_LOSS" });
});

test.each([
  ["a Map of metadata", { metadata: new Map([["x-a", "b"]]) as never }, "GrpcClientOptions.metadata must be"],
  [
    "no status to retry",
    { retry: { maxAttempts: 2, statuses: [] } },
    "GrpcRetry.statuses must be a list of at least one status",
  ],
])("options that would have no effect are refused: %s", (_, options, message) => {
  const open = (): unknown => grpcClient(catalog, "127.0.0.1:1", options);
  expect(open).toThrow(
    expect.objectContaining({ name: "ConfigurationError", message: expect.stringContaining(message) }),
  );
});

test("a client of a service with a malformed name is refused", () => {
  const open = (): unknown => grpcClient(structService("a b", ["Find"]), "127.0.0.1:1");
  expect(open).toThrow(
    expect.objectContaining({
      name: "ConfigurationError",
      message: expect.stringContaining('"a b" is not a valid service name'),
    }),
  );
});

test("every mistake in the options of a client is reported, including the options of retries", () => {
  const invalid = {
    timeoutMs: -1,
    timeOutMs: 5,
    maxMessageSize: 0,
    tls: { cert: "pem" },
    metadata: { "x-name": "\u00e4" },
    use: ["retry"],
    retry: { maxAttempts: 9, statuses: ["OK"], initialDelayMs: 0 },
  } as never;
  expect(() => grpcClient(catalog, "127.0.0.1:1", invalid)).toThrow(
    /no field "timeOutMs"; did you mean "timeoutMs"[^]*tls must be[^]*timeoutMs[^]*use[^]*maxMessageSize[^]*metadata must be[^]*maxAttempts[^]*initialDelayMs[^]*statuses/,
  );
});
