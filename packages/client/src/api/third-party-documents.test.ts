import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "@jest/globals";
import { importClient } from "./generated-module.test-kit.ts";

const reply = (content: object) => ({ description: "", content });
const thirdParty = {
  openapi: "3.1.0",
  info: { title: "Foreign", version: "1" },
  security: [{ key: [], token: [] }, { basic: [] }],
  paths: {
    "/echo/{id}/{list}": {
      parameters: [{ $ref: "#/components/parameters/Id" }],
      get: {
        operationId: "echo",
        parameters: [
          {
            name: "list",
            in: "path",
            required: true,
            style: "matrix",
            explode: true,
            schema: { type: "array" },
          },
          { name: "deep", in: "query", style: "deepObject", schema: { type: "object" } },
          { name: "csv", in: "query", explode: false, schema: { type: "array" } },
          { name: "pipes", in: "query", style: "pipeDelimited", explode: false, schema: { type: "array" } },
          { name: "filter", in: "query", content: { "application/json": { schema: { type: "object" } } } },
          { name: "X-List", in: "header", schema: { type: "array" } },
          { name: "theme", in: "cookie", schema: { type: "string" } },
        ],
        responses: {
          "2XX": reply({ "application/json": { schema: {} } }),
          default: reply({ "text/plain": {} }),
        },
      },
    },
    "/form": {
      post: {
        operationId: "form",
        security: [],
        requestBody: { content: { "application/x-www-form-urlencoded": { schema: { type: "object" } } } },
        responses: { 200: reply({ "application/json": {} }) },
      },
    },
    "/styles": {
      post: {
        operationId: "styles",
        security: [],
        requestBody: {
          content: {
            "application/x-www-form-urlencoded": {
              schema: { type: "object" },
              encoding: {
                a: { style: "form", explode: false },
                b: { style: "pipeDelimited" },
                c: { style: "deepObject", explode: true },
                d: { explode: true },
                e: { style: "spaceDelimited", explode: true },
                f: { contentType: "text/plain" },
              },
            },
          },
        },
        responses: { 200: reply({ "application/json": {} }) },
      },
    },
    "/bytes": {
      put: {
        operationId: "bytes",
        security: [],
        requestBody: { content: { "application/octet-stream": {} } },
        responses: { 200: reply({ "application/json": {} }) },
      },
    },
    "/events": {
      get: {
        operationId: "events",
        responses: { 200: reply({ "text/event-stream": {} }), 500: reply({ "application/json": {} }) },
      },
    },
    "/lines": { get: { operationId: "lines", responses: { 200: reply({ "application/x-ndjson": {} }) } } },
    "/download": { get: { operationId: "download", responses: { 200: reply({ "application/pdf": {} }) } } },
    "/broken": { get: { operationId: "broken", responses: { 200: reply({ "application/json": {} }) } } },
  },
  components: {
    parameters: {
      Id: { name: "id", in: "path", required: true, style: "label", schema: { type: "string" } },
    },
    securitySchemes: {
      key: { type: "apiKey", in: "query", name: "api_key" },
      token: { type: "http", scheme: "bearer" },
      basic: { type: "http", scheme: "basic" },
    },
  },
};

/** A node:http server that echoes its input and streams. */
const echoServer = async () => {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "", "http://h").pathname;
    if (path === "/events") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("\ufeff: hello\r\nid: 1\r\nevent: a\r\ndata: x\r\nda");
      return void setImmediate(() => response.end("ta: y\n\nretry: 5\rdata\r\rdata: unfinished"));
    }
    if (path === "/lines")
      return void response.writeHead(200, { "content-type": "application/x-ndjson" }).end('{"a":1}\n\n[2]');
    if (path === "/download")
      return void response.writeHead(200, { "content-type": "application/pdf" }).end("%PDF");
    if (path === "/broken")
      return void response.writeHead(200, { "content-type": "application/json" }).end("{");
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      const { authorization, cookie, "x-list": list, "content-type": type } = request.headers;
      response.writeHead(200, { "content-type": "application/json; charset=utf-8" });
      response.end(JSON.stringify({ url: request.url, authorization, cookie, list, type, body }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, [Symbol.asyncDispose]: () => new Promise<void>((done) => server.close(() => done())) };
};

test("serialises parameters in the document's styles, and sends the credentials of a complete alternative", async () => {
  await using server = await echoServer();
  const createClient = await importClient(thirdParty);
  await using client = createClient(server.url, { credentials: { key: "k&1", token: async () => "t" } });
  const input = {
    params: { id: "a b", list: ["x", "y/z"] },
    query: { deep: { a: 1, b: "c&d" }, csv: ["1", "2,3"], pipes: [1, 2], filter: { a: [1] }, other: "o" },
    headers: { "X-List": [1, 2] },
    cookies: { theme: "dark;" },
  };
  expect((await client["echo"]?.(input))?.body).toEqual({
    url: "/echo/.a%20b/;list=x;list=y%2Fz?api_key=k%261&deep%5Ba%5D=1&deep%5Bb%5D=c%26d&csv=1,2%2C3&pipes=1%7C2&filter=%7B%22a%22%3A%5B1%5D%7D&other=o",
    authorization: "Bearer t",
    cookie: "theme=dark%3B",
    list: "1,2",
    body: "",
  });
  await using basic = createClient(server.url, { credentials: { token: "t", basic: "u:p" } });
  expect((await basic["echo"]?.({ params: input.params }))?.body).toMatchObject({
    authorization: "Basic dTpw",
  });
  await expect(client["echo"]?.({ ...input, headers: { "X-List": ["a\nb"] } })).rejects.toMatchObject({
    code: "CLIENT_BAD_PARAMETER",
  });
});

test("sends urlencoded forms, and bytes as a stream", async () => {
  await using server = await echoServer();
  await using client = (await importClient(thirdParty))(server.url, {
    credentials: { key: "k", token: "t" },
  });
  expect((await client["form"]?.({ body: { a: "x y", b: [1, 2], c: undefined } }))?.body).toMatchObject({
    body: "a=x+y&b=1&b=2",
    type: "application/x-www-form-urlencoded",
  });
  const body = new Blob(["streamed"]).stream();
  const sent = (await client["bytes"]?.({ body }))?.body;
  expect(sent).toMatchObject({ body: "streamed", type: "application/octet-stream" });
  expect(sent).not.toHaveProperty("authorization");
});

test.each<[string, object, string]>([
  ["one field with commas", { a: ["x,y", "z"] }, "a=x%2Cy,z"],
  ["one field with another delimiter", { b: ["x", "y z"] }, "b=x%7Cy%20z"],
  [
    "a field for each member, named after the object and the member",
    { c: { g: 1, h: "&" } },
    "c%5Bg%5D=1&c%5Bh%5D=%26",
  ],
  ["a field for each member", { d: { g: 1, h: undefined } }, "g=1"],
  ["a field for each item", { e: ["x", "y"] }, "e=x&e=y"],
  ["nothing", { a: undefined }, ""],
  ["the default without a style", { f: [1, 2], g: { h: 1 } }, "f=1&f=2&g=%7B%22h%22%3A1%7D"],
])("fields of a urlencoded form have the styles of the document: %s", async (_, body, text) => {
  await using server = await echoServer();
  await using client = (await importClient(thirdParty))(server.url, {
    credentials: { key: "k", token: "t" },
  });
  expect((await client["styles"]?.({ body }))?.body).toMatchObject({
    body: text,
    type: "application/x-www-form-urlencoded",
  });
});

const all = async (items: unknown): Promise<unknown[]> => {
  const list: unknown[] = [];
  for await (const item of items as AsyncIterable<unknown>) list.push(item);
  return list;
};

test("reads events, JSON lines and bytes as they arrive", async () => {
  await using server = await echoServer();
  await using client = (await importClient(thirdParty))(server.url);
  expect(await all((await client["events"]?.())?.body)).toEqual([
    { event: "a", data: "x\ny", id: "1" },
    { event: "message", data: "", id: "1", retryMs: 5 },
  ]);
  expect(await all((await client["lines"]?.())?.body)).toEqual([{ a: 1 }, [2]]);
  expect(Buffer.concat((await all((await client["download"]?.())?.body)) as Buffer[]).toString()).toBe(
    "%PDF",
  );
  await using small = (await importClient(thirdParty))(server.url, { maxEventCharacters: 3 });
  await expect(all((await small["events"]?.())?.body)).rejects.toMatchObject({
    code: "CLIENT_BODY_TOO_LARGE",
  });
});

test("rejects JSON that is malformed", async () => {
  await using server = await echoServer();
  await using client = (await importClient(thirdParty))(server.url);
  await expect(client["broken"]?.()).rejects.toMatchObject({ code: "CLIENT_MALFORMED_REPLY" });
});

test("an API key is not sent to another origin after a redirect", async () => {
  const keyed = {
    openapi: "3.1.0",
    info: { title: "Keyed", version: "1" },
    security: [{ key: [] }],
    paths: {
      "/here": { get: { operationId: "get", responses: { 200: reply({ "application/json": {} }) } } },
    },
    components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-API-Key" } } },
  };
  const keys: (string | null)[] = [];
  await using client = (await importClient(keyed))("http://own.test", {
    credentials: { key: "s" },
    allowedHosts: ["own.test", "other.test"],
    fetch: ({ url, headers }) => {
      keys.push(headers.get("x-api-key"));
      return url === "http://own.test/here" ? Response.redirect("http://other.test/") : Response.json(1);
    },
  });
  expect((await client["get"]?.())?.body).toBe(1);
  expect(keys).toEqual(["s", null]);
});
