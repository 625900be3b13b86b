import { App, HttpError, Response } from "@framework/core";
import { expect, test } from "@jest/globals";
import { contractTest } from "./contract-test.ts";

const book = {
  type: "object",
  properties: { id: { type: "integer" }, title: { type: "string" } },
  required: ["id", "title"],
  additionalProperties: false,
};

/** Creates a document of one operation. */
const documentOf = (method: string, path: string, operation: object) => ({
  openapi: "3.1.0",
  paths: { [path]: { [method]: { responses: { 200: { description: "", ...json(book) } }, ...operation } } },
  components: { schemas: { Book: book } },
});

const json = (schema: object) => ({ content: { "application/json": { schema } } });

const id = { name: "id", in: "path", required: true, schema: { type: "integer", minimum: 1, maximum: 1000 } };

const failureOf = async (app: App, document: unknown): Promise<string> => {
  const error: unknown = await contractTest(app, { document }).catch((thrown: unknown) => thrown);
  await app.stop();
  expect(error).toMatchObject({ code: "TESTING_CONTRACT_BROKEN" });
  return (error as Error).message;
};

test("an app whose replies match the document passes, and every operation gets the configured number of requests", async () => {
  const app = new App();
  app.get("/books/{id}", () => ({ id: 1, title: "Emma" }));
  const document = documentOf("get", "/books/{id}", { parameters: [id] });
  expect(await contractTest(app, { document, runs: 30 })).toEqual({
    operations: 1,
    requests: 30,
    refused: [],
  });
  await app.stop();
});

test("an undocumented status is reported with the simplest request that causes it", async () => {
  const app = new App();
  app.get("/books/{id}", ({ params }) => {
    if (Number(params.id) > 500) throw new HttpError(409, "too many");
    return { id: 1, title: "Emma" };
  });
  const message = await failureOf(app, documentOf("get", "/books/{id}", { parameters: [id] }));
  expect(message).toContain("GET /books/{id} answered 409, but documents 200");
  expect(message).toContain("request: GET /books/501");
});

test.each([
  ["a body that lacks a member", () => ({ id: 1 }), "the body must have required property 'title'"],
  [
    "a body with an additional member",
    () => ({ id: 1, title: "x", secret: 1 }),
    "the body must NOT have additional properties",
  ],
  ["another content type", () => "text", "answered 200 with text/plain, but documents application/json"],
  ["no content type", () => new Response(null), "answered 200 with no content type"],
])("%s is reported", async (_name, handler, problem) => {
  const app = new App();
  app.get("/book", handler);
  expect(await failureOf(app, documentOf("get", "/book", {}))).toContain(problem);
});

test("a body is reported when the document allows none", async () => {
  const app = new App();
  app.delete("/book", () => ({ deleted: true }));
  const document = documentOf("delete", "/book", { responses: { 200: { description: "Gone." } } });
  expect(await failureOf(app, document)).toContain("answered 200 with a body, but documents none");
});

test("an empty content of a reply means no body, like an absent one", async () => {
  const responses = { 204: { description: "Gone.", content: {} } };
  const empty = new App();
  empty.delete("/book", () => Response.noContent());
  expect(
    (await contractTest(empty, { document: documentOf("delete", "/book", { responses }) })).refused,
  ).toEqual([]);
  await empty.stop();
  const full = new App();
  full.delete("/book", () => ({ deleted: true }));
  const document = documentOf("delete", "/book", { responses: { 200: responses[204] } });
  expect(await failureOf(full, document)).toContain("answered 200 with a body, but documents none");
});

test("a body that is not JSON is reported as such, with and without a documented schema", async () => {
  for (const media of [{}, { schema: { type: "object" } }]) {
    const app = new App();
    app.get("/book", () => new Response("{", { headers: { "content-type": "application/json" } }));
    const responses = { 200: { description: "", content: { "application/json": media } } };
    expect(await failureOf(app, documentOf("get", "/book", { responses }))).toContain(
      "answered 200 with a body that is not JSON",
    );
  }
});

test.each(["2XX", "default"])("the reply %s without content allows any body", async (status) => {
  const app = new App();
  app.get("/book", () => "any");
  const document = documentOf("get", "/book", { responses: { [status]: { description: "" } } });
  expect((await contractTest(app, { document, runs: 3 })).refused).toEqual([]);
});

test("an event stream that never ends is compared with the document, and not read", async () => {
  const app = new App();
  app.get("/events", () =>
    Response.sse(
      (async function* () {
        yield { data: "first" };
        await new Promise(() => {});
      })(),
    ),
  );
  const content = { "text/event-stream": { schema: { type: "string" } } };
  const document = documentOf("get", "/events", { responses: { 200: { description: "", content } } });
  expect((await contractTest(app, { document, runs: 3 })).refused).toEqual([]);
  expect(await failureOf(app, documentOf("get", "/events", {}))).toContain(
    "answered 200 with text/event-stream, but documents application/json",
  );
});

test.each([
  ["a member of another type", "string", "title"],
  ["a missing member", "undefined", "title"],
])("%s is among the generated bodies", async (_name, kind, member) => {
  const app = new App();
  app.post("/books", async (request) => {
    const body = await request.json<Record<string, unknown> | null>().catch(() => null);
    const found =
      body !== null && typeof body === "object" && !Array.isArray(body) ? typeof body[member] : "none";
    if (found === (kind === "string" ? "number" : kind)) throw new HttpError(418, "found");
    return { id: 1, title: "Emma" };
  });
  const document = documentOf("post", "/books", { requestBody: json({ $ref: "#/components/schemas/Book" }) });
  expect(await failureOf(app, document)).toContain("POST /books answered 418");
});

test("valid and malformed bodies are sent, with and without a content type", async () => {
  const seen = new Set<string>();
  const app = new App();
  app.post("/books", async (request) => {
    seen.add(request.getHeader("content-type") ?? "none");
    const text = await request.text();
    try {
      const body = JSON.parse(text) as { id?: unknown; title?: unknown };
      if (Number.isInteger(body.id) && typeof body.title === "string") seen.add("valid");
    } catch {
      seen.add("malformed");
    }
    return { id: 1, title: "Emma" };
  });
  await contractTest(app, { document: documentOf("post", "/books", { requestBody: json(book) }), runs: 300 });
  await app.stop();
  expect([...seen]).toEqual(
    expect.arrayContaining(["application/json", "text/plain", "none", "valid", "malformed"]),
  );
});

test("the same seed sends the same requests, and another seed sends different ones", async () => {
  const requestsOf = async (seed: number) => {
    const targets: string[] = [];
    const app = new App();
    app.get("/books/{id}", ({ url }) => {
      targets.push(url);
      return { id: 1, title: "Emma" };
    });
    const genre = { name: "genre", in: "query", schema: { type: "string" } };
    await contractTest(app, {
      document: documentOf("get", "/books/{id}", { parameters: [id, genre] }),
      seed,
    });
    await app.stop();
    return targets;
  };
  expect(await requestsOf(7)).toEqual(await requestsOf(7));
  expect(await requestsOf(7)).not.toEqual(await requestsOf(8));
});

test("the header fields are sent with every request", async () => {
  const app = new App();
  app.get("/book", (request) => {
    if (request.getHeader("x-api-key") !== "k") throw new HttpError(401, "no key");
    return { id: 1, title: "Emma" };
  });
  const document = documentOf("get", "/book", {});
  const headers = { "x-api-key": "k" };
  expect(await contractTest(app, { document, headers })).toMatchObject({ operations: 1, refused: [] });
  await app.stop();
});

test("safe methods come first", async () => {
  const order: string[] = [];
  const app = new App();
  app.delete("/book", () => void order.push("DELETE"));
  app.get("/book", () => void order.push("GET"));
  const responses = { 204: { description: "" } };
  const document = { openapi: "3.1.0", paths: { "/book": { delete: { responses }, get: { responses } } } };
  await contractTest(app, { document, runs: 1 });
  await app.stop();
  expect(order).toEqual(["GET", "DELETE"]);
});

test("requests the document from the app, and reports an app without one", async () => {
  const app = new App();
  await expect(contractTest(app)).rejects.toMatchObject({ code: "TESTING_BAD_OPTION" });
  await expect(contractTest(app, { document: {} })).rejects.toMatchObject({ code: "TESTING_BAD_OPTION" });
  await app.stop();
});

test("a body of multipart/form-data is sent as a form, with files for properties of the format binary", async () => {
  const seen = new Set<string>();
  const app = new App();
  app.post("/covers", async (request) => {
    const [type = "none"] = request.getHeader("content-type", "none").split(";");
    const files = type.startsWith("multipart/") ? await request.files().catch(() => []) : [];
    const [cover] = files.filter(({ name }) => name === "cover");
    seen.add(cover === undefined ? type : `${type} with ${cover.contentType}`);
    return { id: 1, title: "Emma" };
  });
  const file = { type: "string", format: "binary", anyOf: [{ contentMediaType: "image/png" }] };
  const schema = {
    type: "object",
    properties: { title: { type: "string" }, cover: file },
    required: ["cover"],
  };
  const requestBody = { required: true, content: { "multipart/form-data": { schema } } };
  const document = documentOf("post", "/covers", { requestBody });
  await contractTest(app, { document });
  await app.stop();
  expect(seen).toContain("multipart/form-data with image/png");
  expect(seen).toContain("multipart/form-data");
  expect(seen).toContain("text/plain");
});

test("a list parameter that rejects a single value is reported", async () => {
  const app = new App();
  const loc = ["query", "ids"];
  app.get("/books", ({ query }) => {
    const [error, ...others] = query.getAll("ids");
    return others.length > 0 || error === undefined
      ? { id: 1, title: "Emma" }
      : Response.json({ errors: [{ loc, expected: "array", received: "string" }] }, { status: 422 });
  });
  const ids = { name: "ids", in: "query", schema: { type: "array", items: { type: "string" } } };
  const responses = { 200: { description: "", ...json(book) }, 422: { description: "", ...json({}) } };
  const message = await failureOf(app, documentOf("get", "/books", { parameters: [ids], responses }));
  expect(message).toContain('GET /books refused one value of the query parameter "ids"');
});

test("an operation whose every reply has a status of 400 or more is listed", async () => {
  const app = new App();
  app.post("/books", () => Response.json({ id: 1, title: "Emma" }, { status: 422 }));
  const document = documentOf("post", "/books", {
    requestBody: json(book),
    responses: { 200: { description: "" }, 422: { description: "", ...json(book) } },
  });
  expect((await contractTest(app, { document, runs: 20 })).refused).toEqual(["POST /books"]);
  await app.stop();
});

test.each([
  ["required keys of a record", { required: ["k"], additionalProperties: { const: 1 } }, '{"k":1}'],
  [
    "a duration",
    { required: ["k"], properties: { k: { format: "duration", type: "string" } } },
    '{"k":"P1DT',
  ],
])("a valid body is generated for %s", async (_name, schema, start) => {
  const app = new App();
  let valid = 0;
  app.post("/books", async (request) => {
    const body = await request.text();
    if (body.startsWith(start) || body.includes(`,${start.slice(1)}`)) valid++;
    return { id: 1, title: "Emma" };
  });
  const requestBody = json({ type: "object", ...schema });
  await contractTest(app, { document: documentOf("post", "/books", { requestBody }) });
  await app.stop();
  expect(valid).toBeGreaterThan(20);
});
