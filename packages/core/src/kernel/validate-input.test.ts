import { expect, test } from "@jest/globals";
import * as v from "valibot";
import { z } from "zod";
import { App } from "../index.ts";

const ask = (app: App, path: string, init?: RequestInit) =>
  app.fetch(new Request(`http://host.test${path}`, init));
const json = (value: unknown) => ({
  method: "POST",
  body: JSON.stringify(value),
  headers: { "content-type": "application/json" },
});

const bookApp = () => {
  const app = new App();
  app.post(
    "/shelves/{shelf}",
    {
      params: z.object({ shelf: z.coerce.number().int() }),
      query: v.object({ tag: v.optional(v.union([v.string(), v.array(v.string())])) }),
      body: z.object({ title: z.string(), year: z.int().optional() }),
    },
    ({ input, params }) => ({ input, raw: params.shelf }),
  );
  return app;
};

test("request.input holds the validated values, coerced; params stay strings", async () => {
  const reply = await ask(bookApp(), "/shelves/7?tag=a&tag=b", json({ title: "T" }));
  expect(await reply.json()).toEqual({
    input: { params: { shelf: 7 }, query: { tag: ["a", "b"] }, body: { title: "T" } },
    raw: "7",
  });
});

test("an invalid value gets 422 with place, expected and received", async () => {
  const reply = await ask(bookApp(), "/shelves/7", json({ title: 5, year: "x" }));
  expect(reply.status).toBe(422);
  expect(await reply.json()).toMatchObject({
    error: "Validation Failed",
    status: 422,
    errors: [
      { loc: ["body", "title"], expected: "string", received: "number" },
      { loc: ["body", "year"], received: "string" },
    ],
  });
});

test("an invalid path parameter gets 422 with its place", async () => {
  const reply = await ask(bookApp(), "/shelves/x", json({ title: "T" }));
  expect(await reply.json()).toMatchObject({ errors: [{ loc: ["params", "shelf"] }] });
});

test.each([
  ["malformed JSON", '{"title":', "application/json", 400],
  ["no body", "", "application/json", 422],
  ["a body of another type", "<x/>", "application/xml", 415],
  ["a malformed type", "{}", "application", 400],
  ["a JSON suffix type", '{"title":"T"}', "application/vnd.book+json", 200],
  ["a form", "title=T", "application/x-www-form-urlencoded", 200],
])("a body with a schema: %s", async (_name, body, type, status) => {
  const reply = await ask(bookApp(), "/shelves/1", {
    method: "POST",
    body,
    headers: { "content-type": type },
  });
  expect(reply.status).toBe(status);
});

test("a schema may be asynchronous", async () => {
  const app = new App();
  app.post(
    "/x",
    { body: z.object({ a: z.string().refine(async (text) => text === "ok") }) },
    ({ input }) => input.body,
  );
  expect((await ask(app, "/x", json({ a: "ok" }))).status).toBe(200);
  expect((await ask(app, "/x", json({ a: "no" }))).status).toBe(422);
});
