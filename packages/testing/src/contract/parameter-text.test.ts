import { App } from "@framework/core";
import { expect, test } from "@jest/globals";
import { contractTest } from "./contract-test.ts";

const array = { type: "array", items: { type: "integer" }, minItems: 2, maxItems: 2 };
const point = {
  type: "object",
  properties: { a: { type: "integer" }, b: { const: "x y" } },
  required: ["a", "b"],
  additionalProperties: false,
};

test.each([
  ["an array", { schema: array }, /^p=-?\d+&p=-?\d+$/],
  ["a comma-delimited array", { schema: array, explode: false }, /^p=-?\d+,-?\d+$/],
  ["a space-delimited array", { schema: array, style: "spaceDelimited" }, /^p=-?\d+%20-?\d+$/],
  ["a pipe-delimited array", { schema: array, style: "pipeDelimited", explode: false }, /^p=-?\d+%7C-?\d+$/],
  ["an object", { schema: point }, /^a=-?\d+&b=x%20y$/],
  ["a comma-delimited object", { schema: point, explode: false }, /^p=a,-?\d+,b,x%20y$/],
  ["a deep object", { schema: point, style: "deepObject" }, /^p%5Ba%5D=-?\d+&p%5Bb%5D=x%20y$/],
  ["JSON", { content: { "application/json": { schema: point } } }, /^p=%7B%22a%22%3A-?\d+%2C%22b%22/],
])("a query parameter is sent in its style: %s", async (_name, described, wellFormed) => {
  const app = new App();
  const sent: string[] = [];
  app.get("/", ({ url }) => {
    sent.push(new URL(url, "http://contract.test").search.slice(1));
    return null;
  });
  const parameters = [{ name: "p", in: "query", required: true, ...described }];
  await contractTest(app, { document: documentOf("/", parameters) });
  await app.stop();
  expect(sent.filter((query) => wellFormed.test(query)).length).toBeGreaterThan(40);
});

test.each([
  ["an array", array, /^\/-?\d+(?:,|%2C)-?\d+$/],
  ["an object", point, /^\/a(?:,|%2C)-?\d+(?:,|%2C)b(?:,|%2C)x%20y$/],
])("a path parameter is sent in the style simple: %s", async (_name, schema, wellFormed) => {
  const app = new App();
  const sent: string[] = [];
  app.get("/{p}", ({ url }) => {
    sent.push(new URL(url, "http://contract.test").pathname);
    return null;
  });
  const parameters = [{ name: "p", in: "path", required: true, schema }];
  await contractTest(app, { document: documentOf("/{p}", parameters) });
  await app.stop();
  expect(sent.filter((path) => wellFormed.test(path)).length).toBeGreaterThan(40);
});

/** Creates a document of one operation with one parameter. */
const documentOf = (path: string, parameters: readonly object[]) => ({
  openapi: "3.1.0",
  paths: { [path]: { get: { parameters, responses: { 204: { description: "" } } } } },
});
