import { pipeline, Readable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { breaker } from "@framework/breaker";
import { timeout } from "@framework/core";
import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import type { OutgoingMiddleware, OutgoingRequest } from "./outgoing-request.ts";
import { httpClient } from "./http-client.ts";
import { open, serve } from "./http-service.test-kit.ts";

test("sends method, path, fields and body, and returns error statuses as replies", async () => {
  await using server = await serve((request, response) => {
    let text = "";
    request.on("data", (part: Buffer) => (text += part.toString()));
    request.on("end", () =>
      response.writeHead(409, { "x-a": ["1", "2"] }).end(`${request.method} ${request.url} ${text}`),
    );
  });
  await using http = open(`${server.url}/v1/`, { headers: { "x-own": "1" } });
  const reply = await http.request("/items?a=1", { method: "post", json: { b: 2 } });
  expect([reply.status, reply.headers.get("x-a"), await reply.text()]).toEqual([
    409,
    "1, 2",
    'POST /v1/items?a=1 {"b":2}',
  ]);
  expect(server.seen[0]?.headers).toMatchObject({
    "x-own": "1",
    "content-type": "application/json",
    "content-length": "7",
  });
});

test("refuses a reply as soon as its received bytes exceed the limit", async () => {
  await using server = await serve((_, response) => {
    const infinite = new Readable({ read: (size) => void infinite.push(Buffer.alloc(size)) });
    pipeline(infinite, response, () => {}); // the client aborts
  });
  await using http = open(server.url, { maxReplyBytes: 100_000 });
  const reply = await http.request("/");
  await expect(reply.text()).rejects.toMatchObject({ code: "CLIENT_BODY_TOO_LARGE" });
  await expect((await http.request("/", { maxReplyBytes: 10 })).bytes()).rejects.toThrow(
    "larger than 10 bytes",
  );
});

test("ends a call whose header fields or body do not arrive in time, and a call that its caller aborts", async () => {
  await using server = await serve((request, response) => {
    if (request.url === "/slow-body") response.writeHead(200).write("start");
  });
  await using http = open(server.url, { timeoutMs: 50 });
  await expect(http.request("/")).rejects.toMatchObject({ code: "CLIENT_TIMEOUT", status: 504 });
  await using slower = open(server.url, { timeoutMs: 2000 }); // long enough for the header fields on a busy machine
  await expect((await slower.request("/slow-body")).text()).rejects.toMatchObject({ code: "CLIENT_TIMEOUT" });
  await using patient = open(server.url);
  const reason = new Error("enough");
  const caller = new AbortController();
  const call = patient.request("/aborted", { within: { signal: caller.signal } });
  await waitFor(() => server.seen.at(-1)?.url === "/aborted");
  caller.abort(reason);
  await expect(call).rejects.toBe(reason);
});

test("a stream may last longer than timeoutMs, but not be silent for longer than idleTimeoutMs", async () => {
  await using server = await serve((_, response) => void response.writeHead(200).write("start"));
  await using http = open(server.url, { timeoutMs: 2000, idleTimeoutMs: 3000 }); // a busy machine sends the header fields within 2 s
  const started = performance.now();
  await expect((await http.request("/", { stream: true })).text()).rejects.toMatchObject({
    code: "CLIENT_TIMEOUT",
    status: 504,
    message: `the body of GET ${server.url}/ paused for longer than 3000 ms`,
  });
  expect(performance.now() - started).toBeGreaterThan(2400);
});

test("limits the concurrent calls, which last until their bodies have ended", async () => {
  await using server = await serve((_, response) => response.end("body"));
  await using http = open(server.url, { maxCalls: 2 });
  const [first] = await Promise.all([http.request("/"), http.request("/")]);
  await expect(http.request("/")).rejects.toMatchObject({ code: "CLIENT_TOO_MANY_CALLS", status: 503 });
  expect(await first.text()).toBe("body");
  expect((await http.request("/")).status).toBe(200);
});

test("publicAddressesOnly cannot be combined with fetch, which would not check addresses", () => {
  const options = { baseUrl: "https://stock.example", publicAddressesOnly: true };
  const fetch = () => Promise.resolve(new Response());
  expect(() => httpClient({ ...options, fetch })).toThrow(
    "publicAddressesOnly is checked when a socket connects",
  );
});

test("a call whose body is never read counts towards maxCalls until its timeout", async () => {
  await using server = await serve((_, response) => void response.writeHead(200).write("start"));
  await using http = open(server.url, { maxCalls: 1, timeoutMs: 2000 });
  await http.request("/");
  await expect(http.request("/")).rejects.toMatchObject({ code: "CLIENT_TOO_MANY_CALLS" });
  await waitFor(() =>
    http.request("/").then(
      () => true,
      (error: { readonly code: string }) => error.code !== "CLIENT_TOO_MANY_CALLS",
    ),
  );
});

const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
};

test("a client retains no ended calls", async () => {
  const calls: WeakRef<OutgoingRequest>[] = [];
  const remember: OutgoingMiddleware = (request, next) => {
    calls.push(new WeakRef(request));
    return next(request);
  };
  await using http = open("http://stock.test", { use: [remember], fetch: () => new Response("x") });
  for (let call = 0; call < 20; call++) await (await http.request("/")).text();
  expect(calls).toHaveLength(20);
  await waitFor(() => {
    collectGarbage();
    return calls.filter((call) => call.deref() !== undefined).length < 2; // a stack frame may retain the last call
  });
});

test("the framework's breaker and timeout work as middleware of calls", async () => {
  await using server = await serve(
    (request, response) => request.url === "/fail" && response.writeHead(500).end(),
  );
  const circuit = breaker<OutgoingRequest, Response>({ failureThreshold: 2 });
  const time = virtualClock();
  await using http = open(server.url, { use: [circuit, timeout({ timeoutMs: 2000, clock: time })] });
  await http.request("/fail");
  const hanging = http.request("/hang").catch((error: unknown) => error);
  await waitFor(() => server.seen.length === 2);
  await time.advance(2000);
  expect(await hanging).toMatchObject({ name: "HandlerTimeoutError" });
  await expect(http.request("/fail")).rejects.toMatchObject({ code: "BREAKER_OPEN" });
  expect(server.seen).toHaveLength(2);
});

test("sends the request id and the idempotency key to trusted hosts only, and the client's fields to its own origin", async () => {
  await using other = await serve((_, response) => response.end());
  await using server = await serve((_, response) => response.end());
  const within = { requestId: "r-1" };
  await using http = open(server.url, { allowedHosts: [server.host, other.host], headers: { "x-key": "s" } });
  await http.request("/", { within, idempotencyKey: "k" });
  await http.request(`${other.url}/`, { within, idempotencyKey: "k" });
  expect(server.seen[0]?.headers).toMatchObject({
    "x-request-id": "r-1",
    "idempotency-key": "k",
    "x-key": "s",
  });
  for (const name of ["x-request-id", "idempotency-key", "x-key"])
    expect(other.seen[0]?.headers[name]).toBeUndefined();
});

test("reuses connections, at most maxConnections of each origin", async () => {
  const sockets = new Set<object>();
  await using server = await serve((request, response) => {
    sockets.add(request.socket);
    response.end("x");
  });
  await using http = open(server.url, { maxConnections: 2 });
  await Promise.all(Array.from({ length: 20 }, async () => (await http.request("/")).text()));
  expect(sockets.size).toBeLessThanOrEqual(2);
});

test("reports every mistake in the options", () => {
  for (const name of ["baseUrl", "timeoutMs", "maxCalls", "headers"])
    expect(() =>
      httpClient({ baseUrl: "ftp://u:p@host", timeoutMs: -1, maxCalls: 0, headers: { "a b": "c" } }),
    ).toThrow(`HttpClientOptions.${name} `);
  expect(() => httpClient({ baseUrl: "http://host", credentialHeaders: ["a b"] })).toThrow(
    "credentialHeaders must be",
  );
  expect(() => httpClient({ baseUrl: "no" })).toThrow("absolute http or https URL");
});

test("a closed client aborts its calls and refuses further calls", async () => {
  await using server = await serve(() => {});
  const http = open(server.url);
  const call = http.request("/");
  await waitFor(() => server.seen.length === 1);
  const failed = call.catch((error: unknown) => error);
  await http.close();
  expect(await failed).toMatchObject({ code: "CLIENT_CLOSED" });
  await expect(http.request("/")).rejects.toMatchObject({ code: "CLIENT_CLOSED" });
});

test("an invalid header field in the options is named, without its value", () => {
  const create = () =>
    httpClient({ baseUrl: "http://h", headers: { "a b": "c", ok: "d", "x-token": "secret\n1" } });
  expect(create).toThrow(
    'HttpClientOptions.headers must be an object of header fields, but "a b" is not a valid header field name, the value of "x-token" has invalid characters',
  );
  expect(create).not.toThrow("secret");
});

test("a misspelt option of a call is refused, with the nearest name", async () => {
  await using http = open("http://localhost:9");
  await expect(http.request("/", { jsn: 1 } as object)).rejects.toMatchObject({
    code: "CLIENT_BAD_PARAMETER",
    message: 'the options object of request has no field "jsn"; did you mean "json"?',
  });
});

test("every time limit may have a fraction of a millisecond", async () => {
  await using server = await serve((_, response) => response.end("x"));
  const limits = {
    idleTimeoutMs: 30_000.5,
    timeoutMs: 30_000.5,
    connectTimeoutMs: 30_000.5,
    keepAliveMs: 4.5,
  };
  await using http = open(server.url, limits);
  expect(await (await http.request("/")).text()).toBe("x");
});

test("hosts may have an underscore, as names of containers do", () => {
  const options = { allowedHosts: ["my_service:8000"], trustedHosts: ["my_service:8000"] };
  expect(() => open("http://my_service:8000", options)).not.toThrow();
});
