import { expect, test } from "@jest/globals";
import type { CallInit } from "./call-init.ts";
import { ClientError } from "./client-error.ts";
import { open, serve } from "./http-service.test-kit.ts";
import type { OutgoingMiddleware } from "./outgoing-request.ts";
import { retryRequests } from "./retry-requests.ts";

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;

test.each<[string, CallInit, string]>([
  [
    "a header field",
    { headers: { "x-token": "secret\n1" } },
    'the value of "x-token" has invalid characters',
  ],
  ["a name of a header field", { headers: { "a b": "1" } }, '"a b" is not a valid header field name'],
  ["an idempotency key", { idempotencyKey: "secret\u0416" }, "idempotency-key"],
  ["a bigint in JSON", { method: "POST", json: { count: 1n } }, "json"],
  ["a function as JSON", { method: "POST", json: () => 1 }, "json"],
  ["a cyclic object as JSON", { method: "POST", json: cyclic }, "json"],
  ["a plain object as body", { method: "POST", body: { a: 1 } as never }, "pass it as json"],
  ["a list as body", { method: "POST", body: [1] as never }, "pass it as json"],
  ["a method", { method: "GE T" }, '"GE T" is not a method'],
  ["a maxReplyBytes that is not a number", { maxReplyBytes: Number.NaN }, "maxReplyBytes"],
  ["a method that is not a string", { method: 5 as never }, '"5" is not a method'],
  ["a signal that is no AbortSignal", { signal: null as never }, "signal must be an AbortSignal"],
  ["work with such a signal", { within: { signal: {} as never } }, "signal must be an AbortSignal"],
  ["a maxReplyBytes in text", { maxReplyBytes: "5" as never }, "maxReplyBytes"],
  ["a negative maxReplyBytes", { maxReplyBytes: -1 }, "maxReplyBytes"],
])(
  "%s that cannot be sent is refused before the call, without its value in the message",
  async (_, init, part) => {
    let calls = 0;
    const fetch = () => (calls++, new Response("x"));
    await using http = open("http://stock.test", { fetch });
    const error = await http.request("/", init).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ClientError);
    expect(error).toMatchObject({ code: "CLIENT_BAD_PARAMETER", isRefusal: true });
    expect(String(error)).toContain(part);
    expect(String(error)).not.toContain("secret");
    expect(calls).toBe(0);
  },
);

const read = new ReadableStream();
await read.cancel();

test.each<[string, CallInit]>([
  ["a header field that undici does not send", { headers: { "transfer-encoding": "chunked" } }],
  ["a Content-Length of another body", { method: "PUT", body: "abc", headers: { "content-length": "5" } }],
  ["the method CONNECT", { method: "CONNECT" }],
  ["a stream that was read before", { method: "POST", body: read }],
])("a call over sockets with %s is refused, and not counted as a failure of the service", async (_, init) => {
  await using server = await serve((__, response) => response.end("x"));
  let attempts = 0;
  const count: OutgoingMiddleware = (request, next) => (attempts++, next(request));
  await using http = open(server.url, { use: [retryRequests(), count] });
  const error = await http.request("/", init).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "CLIENT_BAD_PARAMETER", isRefusal: true });
  expect([attempts, server.seen.length]).toEqual([1, 0]);
});

test("a GET with a body is refused by a client with fetch, which cannot send it", async () => {
  await using http = open("http://stock.test", { fetch: () => new Response("x") });
  await expect(http.request("/", { body: "x" })).rejects.toMatchObject({ code: "CLIENT_BAD_PARAMETER" });
});

test("a header field that is undefined counts as not given, in a call and in the options", async () => {
  const sent: Headers[] = [];
  const fetch = ({ headers }: Request) => (sent.push(headers), new Response(null, { status: 204 }));
  const missing = undefined as never; // most programs compile without exactOptionalPropertyTypes
  await using http = open("http://stock.test", { fetch, headers: { "x-key": "k", "x-tenant": missing } });
  await http.request("/", { headers: { "X-Key": missing, "x-own": missing } });
  expect([...(sent[0] ?? [])]).toEqual([
    ["accept-encoding", "identity"],
    ["x-key", "k"],
  ]);
});

test("the reply is cancelled when the rule for streams throws, so that its connection is free", async () => {
  let isCancelled = false;
  const fetch = () => new Response(new ReadableStream({ cancel: () => void (isCancelled = true) }));
  await using http = open("http://stock.test", { fetch });
  const mistake = new TypeError("no content-type");
  const stream = () => {
    throw mistake;
  };
  await expect(http.request("/", { stream })).rejects.toMatchObject({ cause: mistake });
  expect(isCancelled).toBe(true);
});
