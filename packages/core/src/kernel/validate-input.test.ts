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

test("validated values stand in input, coerced; params stay strings", async () => {
  const reply = await ask(bookApp(), "/shelves/7?tag=a&tag=b", json({ title: "T" }));
  expect(await reply.json()).toEqual({
    input: { params: { shelf: 7 }, query: { tag: ["a", "b"] }, body: { title: "T" } },
    raw: "7",
  });
});

test("a value that its schema refuses is 422 with place, expected and received", async () => {
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

test("a path parameter that its schema refuses is 422 at its place", async () => {
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

test("a schema may answer later", async () => {
  const app = new App();
  app.post(
    "/x",
    { body: z.object({ a: z.string().refine(async (text) => text === "ok") }) },
    ({ input }) => input.body,
  );
  expect((await ask(app, "/x", json({ a: "ok" }))).status).toBe(200);
  expect((await ask(app, "/x", json({ a: "no" }))).status).toBe(422);
});

test("while debug is on, a reply that its schema refuses is an error that names the place", async () => {
  const build = () => {
    const app = new App();
    app.get("/x", { responses: { 200: z.object({ id: z.int() }) } }, () => ({ id: "seven" }));
    return app;
  };
  const log = { info() {}, warn() {}, error() {} };
  const debug = build();
  await debug.start({ log });
  const reply = await ask(debug, "/x");
  expect(reply.status).toBe(500);
  expect(await reply.text()).toContain("response.id");
  const text = new App();
  text.get("/x", { responses: { 200: z.string() } }, () => "plain");
  await text.start({ log });
  expect((await ask(text, "/x")).status).toBe(200);
  const production = build();
  await production.start({ env: "production", log });
  expect((await ask(production, "/x")).status).toBe(200);
});
