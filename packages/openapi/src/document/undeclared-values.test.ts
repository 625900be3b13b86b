// Values that a schema accepts but its JSON Schema does not express: `undefined`, any value, files.
import { App, type StandardSchema } from "@framework/core";
import { contractTest } from "@framework/testing";
import { expect, test } from "@jest/globals";
import * as v from "valibot";
import { z } from "zod";
import { openapi } from "../openapi.ts";
import type { OpenapiDocument, Operation } from "./openapi-document.ts";

const newApp = () => new (App.with(openapi))().enableOpenapi();

const documentOf = async (app: App): Promise<OpenapiDocument> => {
  const reply = await app.fetch(new Request("http://test.local/openapi.json"));
  await app.stop();
  return (await reply.json()) as OpenapiDocument;
};

const bodyOf = async (body: StandardSchema): Promise<Operation["requestBody"]> => {
  const app = newApp();
  app.post("/", { body }, () => 1);
  return (await documentOf(app)).paths["/"]?.["post"]?.requestBody;
};

const object = z.object({ a: z.string() });
const asynchronous: StandardSchema = {
  "~standard": { ...object["~standard"], validate: async (value: unknown) => ({ value }) },
};
const failing = z.preprocess((value: any) => ({ a: value.a }), object);

test.each<[string, StandardSchema, boolean | undefined]>([
  ["an object", object, true],
  ["an optional object", object.optional(), undefined],
  ["an object with a default", object.default({ a: "b" }), undefined],
  ["an optional object of valibot", v.optional(v.object({ a: v.string() })), undefined],
  ["any value", z.any(), undefined],
  ["an object or null", object.nullable(), true],
  ["a schema that throws for undefined", failing, true],
  ["an asynchronous schema", asynchronous, true],
])("a body is required unless its schema accepts undefined: %s", async (_, schema, required) => {
  expect((await bodyOf(schema))?.required).toBe(required);
});

test("a request without its optional body succeeds", async () => {
  const app = newApp();
  app.post("/", { body: object.optional() }, ({ input }) => ({ got: input.body ?? null }));
  const reply = await app.fetch(new Request("http://test.local/", { method: "POST" }));
  await app.stop();
  expect([reply.status, await reply.json()]).toEqual([200, { got: null }]);
});

test.each<[string, StandardSchema, string[], boolean]>([
  ["any value", z.any(), ["application/json", "text/plain"], true],
  ["any value with a description", z.unknown().describe("Any."), ["application/json", "text/plain"], true],
  ["a string or any value", z.union([z.string(), z.unknown()]), ["application/json", "text/plain"], true],
  ["an optional object", object.optional(), ["application/json"], true],
  ["an optional string of valibot", v.optional(v.string()), ["application/json", "text/plain"], true],
  ["an object", object, ["application/json"], false],
  ["any object", z.any().and(object), ["application/json"], false],
  ["an object with a default", object.default({ a: "b" }), ["application/json"], false],
])(
  "a reply has each media type in which the handler's value may be sent: %s",
  async (_, schema, types, mayBeEmpty) => {
    const app = newApp();
    app.get("/", { responses: { 200: schema } }, () => ({ a: "b" }));
    const responses = (await documentOf(app)).paths["/"]?.["get"]?.responses ?? {};
    const { content } = responses["200"] as { content: object };
    expect([Object.keys(content), "204" in responses]).toEqual([types, mayBeEmpty]);
  },
);

test("text and empty replies match the document if the schema accepts them", async () => {
  const app = newApp();
  app.get("/text", { responses: { 200: z.any() } }, () => "text");
  app.get("/null", { responses: { 200: z.unknown() } }, () => null);
  app.get("/nothing", { responses: { 200: object.optional() } }, () => undefined);
  app.post("/body", { body: object.optional(), responses: { 200: z.any() } }, ({ input }) => input.body);
  expect((await contractTest(app, { runs: 20 })).operations).toBe(4);
});

/** Returns a schema like a schema of arktype: a class is converted by the option, or to any value. */
const arkLike = (proto: { readonly name: string }): StandardSchema => {
  interface Options {
    readonly libraryOptions?: { readonly fallback?: { readonly proto?: (context: object) => object } };
  }
  const input = ({ libraryOptions }: Options) => ({
    type: "object",
    properties: { f: libraryOptions?.fallback?.proto?.({ code: "proto", base: {}, proto }) ?? {} },
  });
  const validate = (value: unknown) => ({ value });
  const standard = { version: 1, vendor: "arktype", validate, jsonSchema: { input, output: input } } as const;
  return { "~standard": standard };
};

test.each([
  ["a file", File, "multipart/form-data", { type: "string", format: "binary" }],
  ["a blob", Blob, "multipart/form-data", { type: "string", format: "binary" }],
  ["an object of another class", URL, "application/json", {}],
])("a body of arktype: %s", async (_, proto, type, schema) => {
  expect((await bodyOf(arkLike(proto)))?.content).toEqual({
    [type]: { schema: { type: "object", properties: { f: schema } } },
  });
});
