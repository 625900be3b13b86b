import { App, HttpError, Response } from "@framework/core";
import { expect, test } from "@jest/globals";
import { contractTest } from "./contract-test.ts";

const book = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] };
const content = { "application/json": { schema: book } };
const responses = { 200: { description: "", content } };
const integer = { type: "integer", minimum: 1, maximum: 9 };
const documentOf = (path: string, item: object) => ({ openapi: "3.1.0", paths: { [path]: item } });

/** Runs the contract of an app with one route, stops the app, and returns the number of operations that passed. */
const countPassed = async (app: App, document: unknown): Promise<number> => {
  try {
    return (await contractTest(app, { document })).operations;
  } finally {
    await app.stop();
  }
};

test("operations inherit the parameters of their path item, even of a referenced one, and may replace them", async () => {
  const seen = new Set<string>();
  const app = new App();
  app.get("/books/{id}", ({ params, query }) => {
    seen.add(params.id);
    for (const page of query.getAll("page")) seen.add(`page ${page}`);
    return { id: 1 };
  });
  const parameters = [
    { name: "id", in: "path", required: true, schema: { const: "a" } },
    { name: "page", in: "query", required: true, schema: { const: "item" } },
  ];
  const get = { parameters: [{ ...parameters[1], schema: { const: "operation" } }], responses };
  expect(
    await countPassed(app, {
      ...documentOf("/books/{id}", { $ref: "#/components/pathItems/Book" }),
      components: { pathItems: { Book: { parameters, get } } },
    }),
  ).toBe(1);
  expect(seen).toContain("a");
  expect(seen).toContain("page operation");
  expect(seen).not.toContain("page item");
});

test("a path parameter is filled whatever its name, even if the document does not describe it", async () => {
  const app = new App();
  app.get("/books/{a}/{b}", () => ({ id: 1 }));
  const parameters = [{ name: "book-id", in: "path", required: true, schema: integer }];
  const responsesWith400 = { ...responses, 400: { description: "", content: { "application/json": {} } } };
  expect(
    await countPassed(
      app,
      documentOf("/books/{book-id}/{other}", { get: { parameters, responses: responsesWith400 } }),
    ),
  ).toBe(1);
});

test.each(["application/json; charset=utf-8", "Application/JSON", "application/*", "*/*"])(
  "a JSON reply matches the documented %s and is checked against its schema",
  async (type) => {
    const app = new App();
    let id: unknown = 1;
    app.get("/book", () => ({ id }));
    const typed = { 200: { description: "", content: { "text/*": {}, [type]: { schema: book } } } };
    const document = documentOf("/book", { get: { responses: typed } });
    expect(await contractTest(app, { document })).toMatchObject({ operations: 1 });
    id = "x";
    await expect(contractTest(app, { document })).rejects.toThrow("the body/id must be integer");
    await app.stop();
  },
);

test("the most specific documented type applies, and a range covers only its own types", async () => {
  const app = new App();
  app.get("/book", () => ({ id: 1 }));
  app.get("/text", () => "text");
  const typed = (types: object) => ({ get: { responses: { 200: { description: "", content: types } } } });
  const never = { schema: false };
  await contractTest(app, {
    document: documentOf("/book", typed({ "*/*": never, "application/*": never, ...content })),
  });
  await contractTest(app, { document: documentOf("/text", typed({ "text/*": {} })) });
  await expect(
    contractTest(app, { document: documentOf("/text", typed({ "application/*": {} })) }),
  ).rejects.toThrow("answered 200 with text/plain, but documents application/*");
  await app.stop();
});

test("urlencoded bodies and other JSON types are sent with their type", async () => {
  for (const type of [
    "application/x-www-form-urlencoded",
    "application/merge-patch+json",
    "application/json; charset=utf-8",
  ]) {
    const seen = new Set<string>();
    const app = new App();
    app.post("/books", async (request) => {
      const text = await request.text();
      if (request.getHeader("content-type") === type && /^(?:id=\d|\{"id":\d\})$/.test(text))
        seen.add("valid");
      return { id: 1 };
    });
    const schema = {
      type: "object",
      properties: { id: integer },
      required: ["id"],
      additionalProperties: false,
    };
    const requestBody = { content: { [type]: { schema } } };
    expect(await countPassed(app, documentOf("/books", { post: { requestBody, responses } }))).toBe(1);
    expect([type, ...seen]).toEqual([type, "valid"]);
  }
});

test("required header fields are sent, and fields of the options replace them", async () => {
  const seen = new Set<string>();
  const app = new App();
  app.get("/book", (request) => {
    const ids = request.getHeader("x-ids") ?? "none";
    seen.add(`${ids} ${request.getHeader("x-tenant") ?? "none"}`);
    if (ids === "8,8") throw new HttpError(409, "found");
    return new Response('{"id":1}', { contentType: "application/json" });
  });
  const parameters = [
    {
      name: "X-Ids",
      in: "header",
      required: true,
      schema: { type: "array", items: integer, minItems: 2, maxItems: 2 },
    },
    { name: "X-Tenant", in: "header", required: true, schema: { type: "string", minLength: 1 } },
    { name: "X-Optional", in: "header", schema: integer },
    { name: "Authorization", in: "header", required: true, schema: integer },
  ];
  const document = documentOf("/book", { get: { parameters, responses } });
  const error: unknown = await contractTest(app, {
    document,
    headers: { "x-tenant": "t" },
    runs: 1000,
  }).catch((thrown: unknown) => thrown);
  await app.stop();
  expect(String(error)).toContain("answered 409");
  expect(String(error)).toMatch(/\n {2}headers: x-ids: 8,8\n/i);
  expect([...seen].every((each) => each.endsWith(" t"))).toBe(true);
  expect(seen).toContain("none t");
});

test("a reference may lead to another reference, be percent-encoded, and point into a list", async () => {
  const app = new App();
  app.get("/books/{id}", ({ params }) => (params.id === "a" ? { id: 1 } : new Response("text")));
  const id = { name: "id", in: "path", required: true, schema: { const: "a" } };
  const document = {
    ...documentOf("/books/{id}", {
      get: {
        parameters: [{ $ref: "#/components/parameters/first%20id%7E1" }],
        responses: { 200: { $ref: "#/components/responses/Book" } },
      },
    }),
    components: {
      parameters: { "first id/": { $ref: "#/x-ids/0" } },
      responses: {
        Book: { $ref: "#/components/responses/Any" },
        Any: { description: "", content: { "*/*": {} } },
      },
    },
    "x-ids": [id],
  };
  expect(await countPassed(app, document)).toBe(1);
  const circular = {
    ...document,
    components: { responses: { Book: { $ref: "#/components/responses/Book" } } },
  };
  expect(await countPassed(new App(), { ...circular, paths: {} })).toBe(0);
});
