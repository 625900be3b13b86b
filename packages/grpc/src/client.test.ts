import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { FailedCall, grpcClient } from "./client.ts";
import { aBook, all, catalog, failure, serve, type Served } from "./grpc-app.test-kit.ts";
import { GrpcError } from "./index.ts";

let served: Served;
let attempts = 0;

beforeAll(async () => {
  served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0" });
    app.addGrpcService(catalog, {
      GetBook: async ({ id }, call) => {
        attempts++;
        if (id === 3 && attempts < 3) throw new GrpcError("UNAVAILABLE", "not yet");
        if (id === 5) {
          const within = served.client(catalog);
          return within.GetBook({ id: 6 }, { within: call });
        }
        if (id === 6)
          return new Promise((_, reject) =>
            call.signal.addEventListener("abort", () => reject(call.signal.reason as Error)),
          );
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

test("a call is retried by the policy, and only for its statuses", async () => {
  attempts = 0;
  const retry = { maxAttempts: 4, initialDelayMs: 1, maxDelayMs: 2 };
  expect(await served.client(catalog, { retry }).GetBook({ id: 3 })).toMatchObject({ id: 3 });
  expect(attempts).toBe(3);
  attempts = 0;
  expect(await failure(served.client(catalog).GetBook({ id: 3 }))).toMatchObject({ status: "UNAVAILABLE" });
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

test("a call within another one has its deadline", async () => {
  const started = performance.now();
  expect(await failure(served.client(catalog).GetBook({ id: 5 }, { timeoutMs: 300 }))).toMatchObject({
    status: "DEADLINE_EXCEEDED",
  });
  expect(performance.now() - started).toBeLessThan(60_000);
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
  const stream = served.client(catalog).ListBooks({ count: 1 }, { metadata: { "x-fail": "1" } });
  await new Promise((resolve) => setTimeout(resolve, 200)); // by then the failure has arrived
  expect(await failure(all(stream))).toMatchObject({ status: "DATA_LOSS" });
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
