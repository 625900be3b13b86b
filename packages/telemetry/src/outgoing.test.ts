import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { httpClient, retryRequests } from "@framework/client";
import { RequestId } from "@framework/core";
import { expect, test } from "@jest/globals";
import { get, tracedService } from "./traced-app.test-kit.ts";

interface HttpLibrary {
  request(
    url: string,
    options: { readonly headers: Readonly<Record<string, string | string[] | undefined>> },
  ): Promise<{ readonly body: { text(): Promise<string> } }>;
}

/** The undici of `httpClient`, which programs also use directly. */
const undici = createRequire(fileURLToPath(import.meta.resolve("@framework/client")))(
  "undici",
) as HttpLibrary;

/** Starts a server that records received header fields and replies with a status, after the replies of `interim`. */
const peer = async (status: number, interim: (reply: ServerResponse) => void = () => {}) => {
  const seen: IncomingHttpHeaders[] = [];
  const raw: string[][] = []; // names of fields, with duplicates
  const server = createServer((request, reply) => {
    seen.push(request.headers);
    raw.push(request.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()));
    interim(reply);
    reply.writeHead(status).end("there");
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    seen,
    raw,
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
};

test("fetch sends the trace and is a client span, without the query's secrets", async () => {
  await using server = await peer(200);
  await using service = await tracedService();
  const url = `http://127.0.0.1:${server.port}/stock?id=7&api_key=canary`;
  service.app.get("/", async () => (await fetch(url)).text());
  await get(service.app, "/", {
    tracestate: "a=1",
    traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-03`,
  });
  const { spans } = await service.finish();
  const [call, request] = spans;
  expect(call).toMatchObject({
    name: "GET",
    kind: "client",
    parentSpanId: request?.spanId,
    attributes: {
      "http.request.method": "GET",
      "http.response.status_code": 200,
      "server.address": "127.0.0.1",
      "server.port": server.port,
      "url.full": `http://127.0.0.1:${server.port}/stock?id=7&api_key=REDACTED`,
    },
  });
  expect(server.seen[0]).toMatchObject({
    traceparent: `00-${"a".repeat(32)}-${call?.spanId}-03`,
    tracestate: "a=1",
  });
});

test("a call of undici with several values of one field carries the trace, and its own trace takes precedence", async () => {
  await using server = await peer(200);
  await using service = await tracedService();
  const own = `00-${"c".repeat(32)}-${"d".repeat(16)}-01`;
  const fields = [{ "x-tags": ["a", "b"] }, { "x-tags": ["traceparent"], Traceparent: own }];
  service.app.get("/", async () => {
    for (const headers of fields)
      await (await undici.request(`http://127.0.0.1:${server.port}/`, { headers })).body.text();
    return "done";
  });
  await get(service.app, "/");
  const { spans } = await service.finish();
  const [call] = spans;
  expect(server.seen.map(({ traceparent }) => traceparent)).toEqual([
    `00-${call?.traceId}-${call?.spanId}-03`,
    own,
  ]);
});

test("a call of httpClient carries the trace once per attempt and to every host, request ids only to trusted hosts", async () => {
  await using trusted = await peer(503);
  await using untrusted = await peer(200);
  await using service = await tracedService();
  const hostOf = ({ port }: { readonly port: number }): string => `127.0.0.1:${port}`;
  await using stock = httpClient({
    baseUrl: `http://${hostOf(trusted)}`,
    allowedHosts: [hostOf(trusted), hostOf(untrusted)],
    use: [retryRequests({ policy: { attempts: 2, delayMs: 1 } })],
  });
  service.app.use((request, next) => {
    request.context.set(RequestId, "order-7");
    return next(request);
  });
  service.app.get("/", async (request) => {
    await (await stock.request("/items", { within: request })).text();
    return await (await stock.request(`http://${hostOf(untrusted)}/items`, { within: request })).text();
  });
  await get(service.app, "/");
  const { spans } = await service.finish();
  const calls = spans.filter(({ kind }) => kind === "client");
  const sent = [...trusted.seen, ...untrusted.seen];
  const ids = calls.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-03`);
  expect(sent.map(({ traceparent }) => traceparent)).toEqual(ids);
  expect([new Set(ids).size, new Set(calls.map(({ traceId }) => traceId)).size]).toEqual([3, 1]);
  expect(
    [...trusted.raw, ...untrusted.raw].map((names) => names.filter((name) => name === "traceparent")),
  ).toEqual([["traceparent"], ["traceparent"], ["traceparent"]]);
  expect(sent.map((headers) => headers["x-request-id"])).toEqual(["order-7", "order-7", undefined]);
});

test("a 404 reply and a refused connection are errors of the call", async () => {
  await using server = await peer(404);
  const stopped = await peer(200);
  await stopped[Symbol.asyncDispose]();
  await using service = await tracedService();
  service.app.get("/", async () => {
    await (await fetch(`http://127.0.0.1:${server.port}/`)).text();
    return await fetch(`http://127.0.0.1:${stopped.port}/`).then(String, () => "refused");
  });
  await get(service.app, "/");
  const [missing, refused] = (await service.finish()).spans;
  expect(missing).toMatchObject({ status: 2, attributes: { "error.type": "404" } });
  expect(refused).toMatchObject({ status: 2, kind: "client", events: [{ name: "exception" }] });
});

test("a call ends with its final status, after interim replies", async () => {
  await using server = await peer(503, (reply) => {
    reply.writeProcessing();
    reply.writeEarlyHints({ link: "</style.css>; rel=preload; as=style" });
  });
  await using service = await tracedService();
  service.app.get("/", async () => (await fetch(`http://127.0.0.1:${server.port}/`)).text());
  await get(service.app, "/");
  const [call] = (await service.finish()).spans;
  expect(call).toMatchObject({
    status: 2,
    attributes: { "http.response.status_code": 503, "error.type": "503" },
  });
});

test("a traceparent that the program has set is sent unchanged, without the tracestate of the request's trace", async () => {
  await using server = await peer(200);
  await using service = await tracedService();
  const traceparent = `00-${"c".repeat(32)}-${"d".repeat(16)}-00`;
  service.app.get("/", async () =>
    (await fetch(`http://127.0.0.1:${server.port}/`, { headers: { traceparent } })).text(),
  );
  const caller = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`, tracestate: "a=1" };
  await get(service.app, "/", caller);
  expect([server.seen[0]?.["traceparent"], server.seen[0]?.["tracestate"]]).toEqual([traceparent, undefined]);
});
