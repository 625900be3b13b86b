import { App, type RouteOptions, type StandardSchema } from "@framework/core";
import { expect, test } from "@jest/globals";
import * as v from "valibot";
import { z } from "zod";
import { openapi } from "../openapi.ts";
import type { OpenapiDocument, Operation } from "./openapi-document.ts";

const newApp = (register: (app: App) => void) => {
  const app = new (App.with(openapi))().enableOpenapi();
  register(app);
  return app;
};

const documentOf = async (register: (app: App) => void): Promise<OpenapiDocument> => {
  const app = newApp(register);
  const reply = await app.fetch(new Request("http://test.local/openapi.json"));
  await app.stop();
  return (await reply.json()) as OpenapiDocument;
};

const operationOf = async (options: RouteOptions): Promise<Operation | undefined> =>
  (await documentOf((app) => app.get("/books/{id}", options as object, () => 1))).paths["/books/{id}"]?.[
    "get"
  ];

test("path parameters have their schema's input types and descriptions", async () => {
  const params = z.object({ id: z.coerce.number().int().min(1).meta({ description: "Which book." }) });
  expect((await operationOf({ params }))?.parameters).toEqual([
    {
      name: "id",
      in: "path",
      required: true,
      description: "Which book.",
      schema: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    },
  ]);
});

test("each property of the query is a parameter, required if it has no default", async () => {
  const query = z.object({
    genre: z.string(),
    page: z.int().min(1).max(9).default(1),
    tag: z.array(z.string()).optional(),
  });
  expect((await operationOf({ query }))?.parameters?.slice(1)).toEqual([
    { name: "genre", in: "query", required: true, schema: { type: "string" } },
    { name: "page", in: "query", schema: { type: "integer", minimum: 1, maximum: 9, default: 1 } },
    { name: "tag", in: "query", schema: { type: "array", items: { type: "string" } } },
  ]);
});

test("a named object schema of the query becomes parameters, a union becomes one parameter", async () => {
  const named = z.object({ genre: z.string() }).meta({ id: "Filter" });
  expect((await operationOf({ query: named }))?.parameters?.[1]).toMatchObject({
    name: "genre",
    in: "query",
  });
  const union = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]);
  expect((await operationOf({ query: union }))?.parameters?.[1]).toMatchObject({
    name: "query",
    style: "form",
    explode: true,
    schema: { anyOf: [{ type: "object" }, { type: "object" }] },
  });
});

test("a body has the input type of its schema, a reply the output type", async () => {
  const Draft = z.object({ title: z.string(), genre: z.string().default("General") });
  const { paths } = await documentOf((app) =>
    app.post("/books", { body: Draft, responses: { 201: Draft, 204: z.null() } }, () => 1),
  );
  const operation = paths["/books"]?.["post"];
  expect(operation?.requestBody).toMatchObject({
    required: true,
    content: { "application/json": { schema: { required: ["title"] } } },
  });
  expect(operation?.responses).toMatchObject({
    201: { content: { "application/json": { schema: { required: ["title", "genre"] } } } },
    204: { description: "Success." },
  });
  expect(operation?.responses["204"]).not.toHaveProperty("content");
  expect(operation?.responses).not.toHaveProperty("2XX");
});

test("required members of a body are not readOnly, because pages omit such members; optional members and replies may be", async () => {
  const Tags = z.array(z.string()).readonly().meta({ id: "Tags" });
  const Book = z
    .object({
      authors: z.array(z.object({ name: z.string() }).readonly()).readonly(),
      id: z.int().optional().meta({ readOnly: true }),
      maker: z.object({ names: z.array(z.string()).readonly() }).readonly(),
      tags: Tags,
    })
    .readonly();
  const document = await documentOf((app) =>
    app.put("/book", { body: Book, responses: { 200: Book } }, () => 1),
  );
  const { requestBody, responses } = document.paths["/book"]?.["put"] ?? {};
  const names = { type: "array", items: { type: "string" } };
  expect(requestBody?.content["application/json"]?.schema).toEqual({
    type: "object",
    properties: {
      authors: {
        type: "array",
        items: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      },
      id: expect.objectContaining({ type: "integer", readOnly: true }),
      maker: { type: "object", properties: { names }, required: ["names"] },
      tags: { $ref: "#/components/schemas/TagsInput" },
    },
    required: ["authors", "maker", "tags"],
  });
  expect(document.components.schemas).toMatchObject({ TagsInput: names, Tags: { ...names, readOnly: true } });
  expect(responses?.["200"]).toMatchObject({
    content: { "application/json": { schema: { readOnly: true } } },
  });
});

test("named schemas are components, once each; an input that differs from the output has its own name", async () => {
  const Author = z.object({ name: z.string().default("Unknown") }).meta({ id: "Author" });
  const Book = z.object({ title: z.string(), author: Author }).meta({ id: "Book" });
  const { paths, components } = await documentOf((app) => {
    app.get("/books", { responses: { 200: z.array(Book) } }, () => []);
    app.post("/books", { body: Book, responses: { 201: Book } }, () => 1);
  });
  expect(Object.keys(components.schemas)).toEqual(["Author", "AuthorInput", "Book", "BookInput", "Error"]);
  expect(components.schemas["Book"]).toMatchObject({
    properties: { author: { $ref: "#/components/schemas/Author" } },
  });
  expect(components.schemas["BookInput"]).toMatchObject({
    properties: { author: { $ref: "#/components/schemas/AuthorInput" } },
  });
  expect(paths["/books"]?.["get"]?.responses["200"]).toMatchObject({
    content: {
      "application/json": { schema: { type: "array", items: { $ref: "#/components/schemas/Book" } } },
    },
  });
  expect(paths["/books"]?.["post"]?.requestBody?.content["application/json"]?.schema).toEqual({
    $ref: "#/components/schemas/BookInput",
  });
});

test("different schemas of the same name are numbered, and none is named Error", async () => {
  const one = z.object({ a: z.string() }).meta({ id: "Thing" });
  const other = fakeLibrary({ $ref: "#/$defs/Thing", $defs: { Thing: { type: "integer" } } });
  const error = fakeLibrary({ $ref: "#/$defs/Error", $defs: { Error: { type: "null" } } });
  const { components } = await documentOf((app) => {
    app.get("/a", { responses: { 200: one } }, () => 1);
    app.get("/b", { responses: { 200: other } }, () => 1);
    app.get("/c", { responses: { 200: error } }, () => 1);
  });
  expect(components.schemas).toMatchObject({
    Thing: { type: "object" },
    Thing2: { type: "integer" },
    Error2: { type: "null" },
  });
});

test("a recursive schema without a name becomes a component, named by its location", async () => {
  const Node = z.object({
    name: z.string(),
    get children() {
      return z.array(Node);
    },
  });
  const { paths, components } = await documentOf((app) => app.post("/trees", { body: Node }, () => 1));
  expect(paths["/trees"]?.["post"]?.requestBody?.content["application/json"]?.schema).toEqual({
    $ref: "#/components/schemas/post_trees_body",
  });
  expect(components.schemas["post_trees_body"]).toMatchObject({
    properties: { children: { items: { $ref: "#/components/schemas/post_trees_body" } } },
  });
});

/** Returns a schema of a library with the given JSON Schema. */
const plain = (schema: object): StandardSchema =>
  ({
    "~standard": {
      version: 1,
      vendor: "plain",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => schema, output: () => schema },
    },
  }) as StandardSchema;

test("an $id with a trailing slash names its component by its last segment, and an $id that is only a host does not", async () => {
  const Book = {
    $id: "https://shop.test/schemas/Book/",
    properties: { author: { $ref: "https://shop.test/Author/" } },
    $defs: { 0: { $id: "https://shop.test/Author/", type: "string" } },
  };
  const { paths, components } = await documentOf((app) => {
    app.post("/books", { body: plain(Book) }, () => 1);
    app.post("/notes", { body: plain({ $id: "https://shop.test/", type: "boolean" }) }, () => 1);
  });
  const { Error: _, ValidationError: _errors, ...schemas } = components.schemas;
  expect(schemas).toEqual({
    Author: { type: "string" },
    Book: { properties: { author: { $ref: "#/components/schemas/Author" } } },
  });
  const content = { "application/json": { schema: { type: "boolean" } } };
  expect(paths["/notes"]?.["post"]?.requestBody?.content).toEqual(content);
});

test("$id and $anchor are resolved: references refer to components", async () => {
  const Book = {
    $id: "https://shop.test/schemas/Book.json",
    type: "object",
    properties: {
      author: { $ref: "#/$defs/Author" },
      genre: { $ref: "#genre" },
      sequel: { $ref: "https://shop.test/schemas/Book.json" },
      parts: { type: "array", items: { $ref: "Part" } },
    },
    $defs: {
      Author: { type: "string" },
      0: { $anchor: "genre", enum: ["novel", "poem"] },
      Part: { $id: "Part", $dynamicAnchor: "part", properties: { part: { $dynamicRef: "#part" } } },
    },
  };
  const { paths, components } = await documentOf((app) => {
    app.post("/books", { body: plain(Book), responses: { 200: plain(Book) } }, () => 1);
  });
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Book" } } };
  expect(paths["/books"]?.["post"]?.requestBody?.content).toEqual(content);
  expect(paths["/books"]?.["post"]?.responses["200"]).toMatchObject({ content });
  const { Error: _, ValidationError: _errors, ...schemas } = components.schemas;
  expect(schemas).toEqual({
    Author: { type: "string" },
    Book: {
      type: "object",
      properties: {
        author: { $ref: "#/components/schemas/Author" },
        genre: { $ref: "#/components/schemas/genre" },
        sequel: { $ref: "#/components/schemas/Book" },
        parts: { type: "array", items: { $ref: "#/components/schemas/Part" } },
      },
    },
    Part: { properties: { part: { $ref: "#/components/schemas/Part" } } },
    genre: { enum: ["novel", "poem"] },
  });
});

test("only references are rewritten, not values or properties named $ref", async () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { $ref: { type: "string" }, $defs: { type: "string" } },
    default: { $ref: "#/$defs/X" },
    $defs: { X: { type: "string" } },
  };
  const { paths } = await documentOf((app) => app.post("/x", { body: fakeLibrary(schema) }, () => 1));
  const { $schema: _dialect, $defs: _defs, ...rest } = schema;
  expect(paths["/x"]?.["post"]?.requestBody?.content["application/json"]?.schema).toEqual(rest);
});

test("a type that JSON Schema cannot express allows any value", async () => {
  const { paths } = await documentOf((app) =>
    app.get("/events", { responses: { 200: z.object({ at: z.date() }) } }, () => 1),
  );
  expect(paths["/events"]?.["get"]?.responses["200"]).toMatchObject({
    content: { "application/json": { schema: { type: "object", properties: { at: {} } } } },
  });
});

test("infinite bounds are omitted, because JSON cannot express them", async () => {
  const query = z.object({
    n: z.number().min(0).max(Infinity),
    m: z.number().gt(-Infinity),
    s: z.string().max(Infinity),
  });
  expect((await operationOf({ query }))?.parameters?.slice(1).map(({ schema }) => schema)).toEqual([
    { type: "number", minimum: 0 },
    { type: "number" },
    { type: "string" },
  ]);
});

test("schemas of valibot are in the document: parameters, bodies, files, replies, recursion", async () => {
  interface Node {
    readonly children: readonly Node[];
  }
  const Tree: v.GenericSchema<Node> = v.object({ children: v.array(v.lazy(() => Tree)) });
  const page = v.optional(v.pipe(v.string(), v.toNumber()), "1");
  const { paths, components } = await documentOf((app) => {
    const params = v.object({ id: v.pipe(v.string(), v.uuid()) });
    app.get("/books/{id}", { params, query: v.object({ page }) }, () => 1);
    const responses = { 201: v.object({ id: v.number() }) };
    app.post("/books", { body: v.object({ title: v.string() }), responses }, () => 1);
    app.put("/covers", { body: v.object({ cover: v.pipe(v.file(), v.mimeType(["image/png"])) }) }, () => 1);
    app.get("/sum", { responses: { 200: v.pipe(v.string(), v.toNumber()) } }, () => 1);
    app.get("/when", { responses: { 200: v.object({ at: v.date() }) } }, () => 1);
    app.post("/trees", { body: Tree }, () => 1);
  });
  expect(paths["/books/{id}"]?.["get"]?.parameters).toEqual([
    { name: "id", in: "path", required: true, schema: { type: "string", format: "uuid" } },
    { name: "page", in: "query", schema: { type: "string", default: "1" } },
  ]);
  expect(paths["/books"]?.["post"]).toMatchObject({
    requestBody: { content: { "application/json": { schema: { required: ["title"] } } } },
    responses: { 201: { content: { "application/json": { schema: { required: ["id"] } } } } },
  });
  expect(paths["/covers"]?.["put"]?.requestBody?.content).toMatchObject({
    "multipart/form-data": { schema: { properties: { cover: { type: "string", format: "binary" } } } },
  });
  const replyOf = (path: string) => paths[path]?.["get"]?.responses["200"];
  expect(replyOf("/sum")).toMatchObject({ content: { "application/json": { schema: { type: "number" } } } });
  expect(replyOf("/when")).toMatchObject({
    content: { "application/json": { schema: { required: ["at"] } } },
  });
  expect(Object.keys(components.schemas)).toEqual(["Error", "post_trees_body"]);
});

test("a library without JSON Schema is a start error that names each route and the remedy; a converter fixes it", async () => {
  const plain = (vendor: string): StandardSchema => ({
    "~standard": { version: 1, vendor, validate: (value: unknown) => ({ value }) },
  });
  const register = (app: App) => {
    app.get("/a", { query: plain("mine") }, () => 1);
    app.get("/b", { responses: { 200: plain("theirs") } }, () => 1);
    app.get("/c", { query: z.object({}) }, () => 1);
  };
  const error = await newApp(register)
    .start()
    .then(String, (reason: unknown) => reason);
  expect(error).toMatchObject({ code: "CORE_START_TASK" });
  const { message } = error as Error;
  expect(message).toContain(
    'GET /a: the API document cannot show schemas of mine; use a version with Standard JSON Schema, or pass enableOpenapi({ jsonSchema: { "mine": (schema, side) => … } })',
  );
  expect(message).toContain("GET /b: the API document cannot show schemas of theirs");
  expect(message).not.toContain("GET /c");

  const properties = { q: { type: "string" } };
  const jsonSchema = { mine: () => ({ type: "object", properties }), theirs: () => ({ type: "null" }) };
  const app = new (App.with(openapi))().enableOpenapi({ jsonSchema });
  register(app);
  const reply = await app.fetch(new Request("http://test.local/openapi.json"));
  await app.stop();
  const { paths } = (await reply.json()) as OpenapiDocument;
  expect(paths["/a"]?.["get"]?.parameters).toEqual([{ name: "q", in: "query", schema: { type: "string" } }]);
  expect(paths["/b"]?.["get"]?.responses["200"]).toMatchObject({
    content: { "application/json": { schema: { type: "null" } } },
  });
});

test("the start error for schemas of zod/mini contains a converter that fixes it", async () => {
  const mini: StandardSchema = {
    "~standard": { version: 1, vendor: "zod", validate: (value: unknown) => ({ value }) },
  };
  await expect(newApp((app) => app.get("/a", { query: mini }, () => 1)).start()).rejects.toThrow(
    "jsonSchema: { zod: (schema, side) => z.toJSONSchema(schema, { io: side }) }",
  );
  const jsonSchema = {
    zod: (schema: StandardSchema, side: "input" | "output") =>
      z.toJSONSchema(schema === mini ? z.object({ q: z.string() }) : z.any(), { io: side }) as object,
  };
  const app = new (App.with(openapi))().enableOpenapi({ jsonSchema });
  app.get("/a", { query: mini }, () => 1);
  const reply = await app.fetch(new Request("http://test.local/openapi.json"));
  await app.stop();
  const { paths } = (await reply.json()) as OpenapiDocument;
  expect(paths["/a"]?.["get"]?.parameters).toMatchObject([{ name: "q", in: "query" }]);
});

test("a schema that its own library cannot convert causes a warning", async () => {
  const warnings: string[] = [];
  const broken = fakeLibrary(null as unknown as object);
  const app = newApp((own) => own.get("/x", { query: broken }, () => 1));
  await app.start({ log: { info() {}, warn: (text) => void warnings.push(text), error() {} } });
  await app.stop();
  expect(warnings).toEqual([
    expect.stringContaining("GET /x: the API document cannot show the schema of its query"),
  ]);
});

/** Returns a schema with this JSON Schema. */
function fakeLibrary(schema: object): StandardSchema {
  const jsonSchema = { input: () => schema, output: () => schema };
  const validate = (value: unknown) => ({ value });
  const standard = { version: 1, vendor: "fake", validate, jsonSchema } as const;
  return { "~standard": standard };
}
