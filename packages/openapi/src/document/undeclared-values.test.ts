// What a document says of values that a schema accepts and its JSON Schema does not name.
import { App, type StandardSchema } from "@framework/core";
import { expect, test } from "@jest/globals";
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

/** A schema as arktype makes it: a class is what the option says, or any value. */
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
