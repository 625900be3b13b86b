import { App, HttpError, Response } from "@framework/core";
import { contractTest } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { openapi } from "../openapi.ts";
import type { OpenapiDocument } from "./openapi-document.ts";

const Book = z.object({ title: z.string() });
const Problem = z.object({ reason: z.string() });

const newApp = () => new (App.with(openapi))().enableOpenapi();

const documentOf = async (app: App): Promise<OpenapiDocument> => {
  const reply = await app.fetch(new Request("http://test.local/openapi.json"));
  return (await reply.json()) as OpenapiDocument;
};

test("a range and default are separate replies, and framework errors within them have both bodies", async () => {
  const app = newApp();
  app.get("/a", { responses: { 200: Book, "4XX": Problem, default: Problem } }, () => null);
  app.get("/b", { responses: { "2XX": Book.nullable() } }, () => null);
  app.get("/c/{id}", { responses: { default: Problem } }, () => null);
  const { paths, components } = await documentOf(app);
  await app.stop();
  const repliesOf = (path: string) => paths[path]?.["get"]?.responses ?? {};
  const body = { type: "object", properties: { reason: { type: "string" } } };
  const own = { content: { "application/json": { schema: body } } };
  const error = { $ref: "#/components/schemas/Error" };
  expect(repliesOf("/a")).toMatchObject({
    200: { description: "Success." },
    400: {
      description: "The request is malformed.",
      content: {
        "application/json": { schema: { anyOf: [body, error] } },
        "application/problem+json": { schema: error },
      },
    },
    "4XX": { description: "Failure.", ...own },
    default: { description: "Any other reply.", ...own },
  });
  expect(Object.keys(repliesOf("/b"))).toEqual(["204", "400", "2XX"]);
  expect(Object.keys(repliesOf("/c/{id}"))).toEqual(["400", "404", "default"]);
  expect(repliesOf("/c/{id}")["404"]).toMatchObject({
    content: { "application/json": { schema: { anyOf: [body, error] } } },
  });
  expect(Object.keys(components.responses)).toEqual(["BadRequest"]);
});

test("replies of ranges and default match the document", async () => {
  const app = newApp();
  const params = z.object({ id: z.coerce.number().int().min(0).max(5) });
  app.get(
    "/books/{id}",
    { params, responses: { "2XX": Book, default: Problem }, errors: [409] },
    (request) => {
      const { id } = request.input.params;
      if (id > 4) throw new HttpError(409, "taken");
      if (id > 3) return Response.json({ title: "Emma" }, { status: 203 });
      return id > 2 ? { title: "Emma" } : Response.json({ reason: "no" }, { status: 400 + id });
    },
  );
  expect(await contractTest(app, { runs: 100 })).toMatchObject({ operations: 1 });
  await app.stop();
});

test("a status whose schema is undefined is ignored", async () => {
  const app = newApp();
  app.get("/a", { responses: { 200: Book, default: undefined } as { 200: typeof Book } }, () => null);
  const { paths } = await documentOf(app);
  await app.stop();
  expect(Object.keys(paths["/a"]?.["get"]?.responses ?? {})).toEqual(["200", "400"]);
});
