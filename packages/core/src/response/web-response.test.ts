import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import { BodyStream } from "../exchange/payload.ts";
import { Response } from "./response.ts";
import { fromWebResponse, toWebResponse } from "./web-response.ts";

const linesOf = ({ headers }: globalThis.Response | Response) => [...(headers as Iterable<[string, string]>)];

test("keeps status, fields, several cookies and the body", async () => {
  const ours = Response.json({ a: "é" }, { status: 201 })
    .setCookie("a", "1")
    .setCookie("b", "2")
    .setHeader("x-a", "\u00e9");
  const web = toWebResponse(ours);
  expect(web.constructor).toBe(globalThis.Response);
  expect([web.status, web.statusText]).toEqual([201, "Created"]);
  expect(linesOf(web)).toEqual([
    ["content-type", "application/json"],
    ["set-cookie", "a=1; Path=/"],
    ["set-cookie", "b=2; Path=/"],
    ["x-a", "\u00e9"],
  ]);
  expect(await web.json()).toEqual({ a: "é" });
});

test("adds no media type to a body without one", async () => {
  const ours = new Response("é");
  ours.contentType = null;
  const web = toWebResponse(ours);
  expect([linesOf(web), await web.text()]).toEqual([[], "é"]);
  expect(linesOf(toWebResponse(new Response()))).toEqual([]);
});

test("passes bytes and streams on", async () => {
  const bytes = Uint8Array.of(0, 255, 128);
  expect(await toWebResponse(new Response(bytes)).bytes()).toEqual(bytes);
  expect(await toWebResponse(Response.stream(["h", "é"])).text()).toBe("hé");
});

test.each([204, 205, 304])(
  "a reply with status %p has no web body, and its stream is released",
  async (status) => {
    const source = (async function* () {
      yield "a";
    })();
    const web = toWebResponse(Response.stream(source, { status, headers: { etag: '"x"' } }));
    expect([web.status, web.body, web.headers.get("etag")]).toEqual([status, null, '"x"']);
    expect(await source.next()).toMatchObject({ done: true });
    expect(toWebResponse(new Response("x", { status })).body).toBeNull();
  },
);

test("cancelling the web body closes a pending source", async () => {
  let returns = 0;
  const pulled = Promise.withResolvers<void>();
  const source = {
    [Symbol.asyncIterator]: () => ({
      next: () => (pulled.resolve(), new Promise<never>(() => {})),
      return: () => Promise.resolve({ done: true as const, value: returns++ }),
    }),
  };
  const reader = (toWebResponse(Response.stream(source as never)).body as ReadableStream).getReader();
  const pending = reader.read();
  await pulled.promise;
  await reader.cancel();
  await pending;
  expect(returns).toBe(1);
});

test("a web response keeps status, fields, cookies and body", async () => {
  const web = new globalThis.Response("hé", { status: 203, headers: { "x-a": "1" } });
  web.headers.append("set-cookie", "a=1");
  web.headers.append("set-cookie", "b=2");
  const ours = fromWebResponse(web);
  expect([ours.status, ours.headers.getSetCookie()]).toEqual([203, ["a=1", "b=2"]]);
  expect(linesOf(ours)).toEqual(linesOf(web));
  expect(await ours.text()).toBe("hé");
});

test("the reply of a web response without a body has no payload", () => {
  const ours = fromWebResponse(
    new globalThis.Response(null, { status: 304, headers: { "content-length": "5" } }),
  );
  expect([ours.status, ours.payload, ours.headers.get("content-length")]).toEqual([304, null, "5"]);
});

test("a declared content-length becomes the length of the body, and hop-by-hop fields are dropped", () => {
  const headers = {
    "content-length": "2",
    connection: "close",
    "transfer-encoding": "chunked",
    "keep-alive": "timeout=5",
    "x-a": "1",
  };
  const ours = fromWebResponse(new globalThis.Response("hi", { headers }));
  expect((ours.payload as BodyStream).length).toBe(2);
  expect(ours.fields()).toEqual(["content-type", "text/plain;charset=UTF-8", "x-a", "1"]);
});

test("reads a web body only while it is sent, and cancels it with the reply", async () => {
  let [pulls, cancels] = [0, 0];
  const body = new ReadableStream(
    { pull: (controller) => (pulls++, controller.enqueue(Uint8Array.of(1))), cancel: () => void cancels++ },
    { highWaterMark: 0 },
  );
  const { payload } = fromWebResponse(new globalThis.Response(body));
  expect(pulls).toBe(0);
  await (payload as BodyStream).cancel();
  expect([pulls, cancels]).toEqual([0, 1]);
});

test("a body that was read or is locked is rejected", async () => {
  const web = new globalThis.Response("x");
  await web.text();
  expect(() => fromWebResponse(web)).toThrow(expect.objectContaining({ code: "CORE_BODY_USED" }));
  const locked = new globalThis.Response("x");
  locked.body?.getReader();
  expect(() => fromWebResponse(locked)).toThrow(expect.objectContaining({ code: "CORE_BODY_USED" }));
});

test("toWebResponse converts a network error, and fromWebResponse rejects it", () => {
  expect(toWebResponse(Response.error()).type).toBe("error");
  expect(() => fromWebResponse(globalThis.Response.error())).toThrow(
    expect.objectContaining({ code: "CORE_BAD_REPLY" }),
  );
});

test("drops the content coding that fetch has decoded", async () => {
  const server = createServer((_request, response) => {
    const body = gzipSync("hello");
    response
      .writeHead(200, { "content-encoding": "gzip", "content-length": body.length, "x-a": "1" })
      .end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const ours = fromWebResponse(await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
  expect([
    ours.headers.get("content-encoding"),
    ours.headers.get("content-length"),
    ours.headers.get("x-a"),
  ]).toEqual([null, null, "1"]);
  expect(ours.contentLength).toBeNull();
  expect(await ours.text()).toBe("hello");
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test("keeps a content coding that the program applied", () => {
  const web = new globalThis.Response(new Uint8Array(gzipSync("x")), {
    headers: { "content-encoding": "gzip" },
  });
  expect(fromWebResponse(web).headers.get("content-encoding")).toBe("gzip");
});
