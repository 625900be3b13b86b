import { socketClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { importClient } from "./generated-module.test-kit.ts";
import { documentOf, notesApp } from "./notes-app.test-kit.ts";

const notes = async () => {
  const app = notesApp();
  const createClient = await importClient(await documentOf(app));
  const service = socketClient(app);
  const url = (await service.url("/")).replace(/\/$/, "");
  return { app, createClient, service, url };
};

test("calls every operation of an app over a socket, with typed replies by status", async () => {
  const { createClient, service, url } = await notes();
  await using _service = service;
  await using client = createClient(url);
  expect(await client["getNote"]?.({ params: { id: "a/b?c" } })).toMatchObject({
    status: 200,
    ok: true,
    body: { id: "a/b?c" },
  });
  expect(await client["getNote"]?.({ params: { id: "none" } })).toMatchObject({
    status: 404,
    ok: false,
    body: { error: "no note" },
  });
  const file = new File(["text"], "a.txt", { type: "text/plain" });
  expect(await client["upload"]?.({ body: { title: "T", file } })).toMatchObject({
    status: 200,
    body: { title: "T", name: "a.txt", text: "text" },
  });
});

test("throws for a status that the document does not declare, with status, body and request id", async () => {
  const { createClient, service, url } = await notes();
  await using _service = service;
  await using client = createClient(url);
  await expect(client["teapot"]?.()).rejects.toMatchObject({
    name: "UndeclaredReplyError",
    code: "CLIENT_UNDECLARED_REPLY",
    replyStatus: 418,
    body: '{"error":"short and stout"}',
    requestId: "r-9",
  });
});

test("returns the body of a route without a documented success", async () => {
  const app = notesApp();
  const createClient = await importClient(await documentOf(app));
  await using client = createClient("http://localhost", { fetch: (request) => app.fetch(request) });
  expect(await client["count"]?.()).toMatchObject({ status: 200, body: { notes: 2 } });
});

test.each([undefined, "", ".", ".."])("refuses %j as a parameter of the path", async (id) => {
  const createClient = await importClient(await documentOf(notesApp()));
  await using client = createClient("http://127.0.0.1:1");
  await expect(client["getNote"]?.({ params: { id } })).rejects.toMatchObject({
    code: "CLIENT_BAD_PARAMETER",
  });
});

const text = fc.string({ unit: "grapheme", maxLength: 30 }).filter((value) => value.isWellFormed());

test("any values round-trip through the app", async () => {
  const app = notesApp();
  const createClient = await importClient(await documentOf(app));
  await using client = createClient("http://localhost", { fetch: (request) => app.fetch(request) });
  const id = text.filter((value) => !["", ".", ".."].includes(value) && !/[\p{Cc}/\\]/u.test(value));
  await fc.assert(
    fc.asyncProperty(id, text, fc.array(text, { minLength: 2, maxLength: 4 }), async (key, q, tags) => {
      const found = await client["getNote"]?.({ params: { id: `n${key}` } });
      expect(found?.body).toMatchObject({ id: `n${key}` });
      expect((await client["search"]?.({ query: { q, tags } }))?.body).toEqual({ q, tags });
      const note = { id: key, text: q, stars: tags.length };
      expect(await client["addNote"]?.({ body: note })).toMatchObject({ status: 201, body: note });
    }),
    { numRuns: 60, seed: 7 },
  );
});

/** A document with an operation that accepts all kinds of input, and three security schemes. */
const takesAll = {
  openapi: "3.1.0",
  info: { title: "All", version: "1" },
  paths: {
    "/all/{id}": {
      post: {
        operationId: "all",
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string" } },
          { name: "q", in: "query", schema: { type: "string" } },
          { name: "c", in: "cookie", schema: { type: "string" } },
        ],
        requestBody: { content: { "application/json": { schema: {} } } },
        responses: { 204: {} },
        security: [{ "the key": [] }],
      },
    },
  },
  components: {
    securitySchemes: {
      "the key": { type: "apiKey", in: "query", name: "api key" },
      bearerAuth: { type: "http", scheme: "bearer" },
    },
  },
};

test("an API key in the query may have any name", async () => {
  const urls: string[] = [];
  const createClient = await importClient(takesAll);
  await using client = createClient("http://localhost", {
    credentials: { "the key": "a b" },
    fetch: async ({ url }) => {
      urls.push(url);
      return new Response(null, { status: 204 });
    },
  });
  await client["all"]?.({ params: { id: "1" } });
  expect(urls).toEqual(["http://localhost/all/1?api%20key=a%20b"]);
});

test.each<[string, object]>([
  ['the parameter "id"', { params: { id: "\ud800" } }],
  ['the parameter "q"', { params: { id: "1" }, query: { q: "\ud800" } }],
  ['the cookie "c"', { params: { id: "1" }, cookies: { c: "\ud800" } }],
  ["the body", { params: { id: "1" }, body: { n: 1n } }],
])(
  "a value that cannot be serialised is refused with an error that names the operation: %s",
  async (subject, input) => {
    const createClient = await importClient(takesAll);
    await using client = createClient("http://127.0.0.1:1");
    await expect(client["all"]?.(input)).rejects.toMatchObject({
      code: "CLIENT_BAD_PARAMETER",
      message: `POST /all/{id} cannot send ${subject}`,
    });
  },
);

test("credentials for a scheme that the document lacks are refused, together with all other configuration errors", async () => {
  const createClient = await importClient(takesAll);
  const open = () =>
    createClient("http://localhost", { credentials: { bearerAut: "x", other: "y" }, timeoutMs: 0 });
  expect(open).toThrow(
    expect.objectContaining({
      problems: [
        "ClientOptions.credentials.bearerAut is not a supported security scheme of the document: did you mean bearerAuth?",
        "ClientOptions.credentials.other is not a supported security scheme of the document: it has the key, bearerAuth",
        expect.stringContaining("HttpClientOptions.timeoutMs"),
      ].map((message) => expect.objectContaining({ message })),
    }),
  );
});

test.each<[object, string]>([
  [{ credentialHeaders: "X-Key" }, "HttpClientOptions.credentialHeaders must be a list"],
  [{ credentialHeaders: 5 }, "HttpClientOptions.credentialHeaders must be a list"],
  [{ baseUrl: "http://other" }, 'ClientOptions has no field "baseUrl": it is the first argument'],
])(
  "an option of the wrong type or in the wrong place is a configuration error: %j",
  async (options, message) => {
    const createClient = await importClient(takesAll);
    const create = () => createClient("http://localhost", options);
    expect(create).toThrow(expect.objectContaining({ code: "CORE_BAD_CONFIG" }));
    expect(create).toThrow(message);
  },
);

test("an unknown member of a call's input is refused with the nearest name", async () => {
  const { createClient, service, url } = await notes();
  await using _service = service;
  await using client = createClient(url);
  await expect(client["getNote"]?.({ parms: { id: "1" } } as never)).rejects.toMatchObject({
    code: "CLIENT_BAD_PARAMETER",
    message: expect.stringMatching(/^the input of GET .* has no field "parms"; did you mean "params"\?$/),
  });
});
