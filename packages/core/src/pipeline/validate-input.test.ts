import { expect, test } from "@jest/globals";
import * as v from "valibot";
import { z } from "zod";
import { App } from "../index.ts";

const send = (app: App, path: string, init?: RequestInit) =>
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

test("request.input has the validated values, coerced; params stay strings", async () => {
  const reply = await send(bookApp(), "/shelves/7?tag=a&tag=b", json({ title: "T" }));
  expect(await reply.json()).toEqual({
    input: { params: { shelf: 7 }, query: { tag: ["a", "b"] }, body: { title: "T" } },
    raw: "7",
  });
});

test("an invalid value gets 422 with loc, expected and received", async () => {
  const reply = await send(bookApp(), "/shelves/7", json({ title: 5, year: "x" }));
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

test("an invalid path parameter gets 422 with its loc", async () => {
  const reply = await send(bookApp(), "/shelves/x", json({ title: "T" }));
  expect(await reply.json()).toMatchObject({ errors: [{ loc: ["params", "shelf"] }] });
});

test.each([
  ["malformed JSON", 400, '{"title":', "application/json"],
  ["no body", 422, "", "application/json"],
  ["a body of another type", 415, "<x/>", "application/xml"],
  ["a malformed type", 400, "{}", "application"],
  ["a JSON suffix type", 200, '{"title":"T"}', "application/vnd.book+json"],
  ["a form", 200, "title=T", "application/x-www-form-urlencoded"],
])("with a schema for the body, %s gets %i", async (_name, status, body, type) => {
  const reply = await send(bookApp(), "/shelves/1", {
    method: "POST",
    body,
    headers: { "content-type": type },
  });
  expect(reply.status).toBe(status);
});

test.each([
  ["a body of no bytes", ""],
  ["no body", null],
])("an empty form has no fields: %s", async (_name, body) => {
  const app = new App();
  app.post("/x", { body: z.object({ a: z.string().default("none") }) }, ({ input }) => input.body);
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const reply = await send(app, "/x", { method: "POST", body, headers });
  expect([reply.status, await reply.json()]).toEqual([200, { a: "none" }]);
});

const formTypes = ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"];

test.each(formTypes)(
  "a request without a body has no validated body, whatever its Content-Type: %s",
  async (type) => {
    const app = new App();
    const Reason = z.object({ reason: z.string() });
    app.delete("/x", { body: Reason.optional() }, ({ input }) => ({ given: input.body ?? "nothing" }));
    app.patch("/x", { body: Reason }, ({ input }) => input.body);
    const headers = { "content-type": type };
    const reply = await send(app, "/x", { method: "DELETE", headers });
    expect([reply.status, await reply.json()]).toEqual([200, { given: "nothing" }]);
    expect((await send(app, "/x", { method: "PATCH", headers })).status).toBe(422);
  },
);

test.each(["POST", "PUT"])(
  "an empty %s has no body if its type is multipart, also if its length is unknown",
  async (method) => {
    const app = new App();
    const body = z.object({ a: z.string() }).optional();
    app.route("/x", { methods: ["POST", "PUT"], body }, ({ input }) => ({ given: input.body ?? "nothing" }));
    for (const length of [{}, { "content-length": "0" }]) {
      const headers = { "content-type": "multipart/form-data; boundary=x", ...length };
      const reply = await send(app, "/x", { method, headers });
      expect([reply.status, await reply.json()]).toEqual([200, { given: "nothing" }]);
    }
    const chunked = new ReadableStream({ start: (controller) => controller.close() });
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    const reply = await send(app, "/x", { method, headers, body: chunked, duplex: "half" });
    expect([reply.status, await reply.json()]).toEqual([200, { given: "nothing" }]);
  },
);

test("a DELETE with a urlencoded Content-Type has a form without fields if it has content-length 0, otherwise no body", async () => {
  const app = new App();
  app.delete("/x", { body: z.object({ a: z.string().default("none") }).optional() }, ({ input }) => ({
    given: input.body ?? "nothing",
  }));
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const given = async (init: RequestInit) =>
    await (await send(app, "/x", { method: "DELETE", ...init })).json();
  expect(await given({ headers: { ...headers, "content-length": "0" } })).toEqual({ given: { a: "none" } });
  expect(await given({ headers })).toEqual({ given: "nothing" });
});

test("a schema may be asynchronous", async () => {
  const app = new App();
  app.post(
    "/x",
    { body: z.object({ a: z.string().refine(async (text) => text === "ok") }) },
    ({ input }) => input.body,
  );
  expect((await send(app, "/x", json({ a: "ok" }))).status).toBe(200);
  expect((await send(app, "/x", json({ a: "no" }))).status).toBe(422);
});

const form = (body: URLSearchParams | FormData) => ({ method: "POST", body });

const listApp = () => {
  const Tags = z.object({
    tags: z.array(z.string()).optional(),
    ids: z.array(z.coerce.number()).nullable().optional(),
    both: z.union([z.string(), z.array(z.string())]).optional(),
    split: z
      .preprocess(
        (value) => (typeof value === "string" ? value.split(",") : value),
        z.array(z.string()).max(2),
      )
      .optional(),
    files: z.array(z.file()).optional(),
    when: z.array(z.date()).optional(),
  });
  const app = new App();
  app.get("/", { query: Tags }, ({ input }) => input.query);
  app.post("/", { body: Tags }, ({ input: { body } }) => ({
    ...body,
    ...(body.files !== undefined && { files: body.files.map(({ name }) => name) }),
  }));
  const later = Tags.refine(async () => true);
  const byKind = z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("many"), tags: z.array(z.string()) }),
    z.object({ kind: z.literal("one"), tags: z.string() }),
  ]);
  app.get("/kinds", { query: byKind }, ({ input }) => input.query);
  const unique = z.object({ tags: z.array(z.string()).transform((tags) => new Set(tags)) });
  app.get("/unique", { query: unique }, ({ input }) => ({ size: input.query.tags.size }));
  const one = z.union([z.array(z.coerce.number()), z.number()]);
  const either = z.object({
    ids: one.optional(),
    flags: z.union([z.boolean(), z.array(z.string())]).optional(),
  });
  app.get("/either", { query: either }, ({ input }) => input.query);
  app.get("/record", { query: z.record(z.string(), z.array(z.string())) }, ({ input }) => input.query);
  const others = z.object({ q: z.string() }).catchall(z.array(z.string()));
  app.get("/others", { query: others }, ({ input }) => input.query);
  const caught = z.preprocess((tags) => [tags].flat(), z.array(z.string())).catch(["none"]);
  app.get("/caught", { query: z.object({ tags: caught }) }, ({ input }) => input.query);
  app.get("/later", { query: later }, ({ input }) => input.query);
  app.get("/plain", { query: v.object({ tags: v.array(v.string()) }) }, ({ input }) => input.query);
  return app;
};

test.each([
  ["?tags=a", { tags: ["a"] }],
  ["?tags=", { tags: [""] }],
  ["?tags=a&tags=b", { tags: ["a", "b"] }],
  ["?ids=1&tags=a", { ids: [1], tags: ["a"] }],
  ["later?tags=a", { tags: ["a"] }],
  ["?both=a", { both: "a" }],
  ["kinds?kind=many&tags=a", { kind: "many", tags: ["a"] }],
  ["kinds?kind=one&tags=a", { kind: "one", tags: "a" }],
  ["unique?tags=a", { size: 1 }],
  ["unique?tags=a&tags=a", { size: 1 }],
  ["?split=a,b", { split: ["a", "b"] }],
  ["either?ids=1&flags=a", { ids: [1], flags: ["a"] }],
  ["either?ids=1&ids=2", { ids: [1, 2] }],
  ["record?a=1&b=2&b=3", { a: ["1"], b: ["2", "3"] }],
  ["others?q=1&a=1", { q: "1", a: ["1"] }],
  ["caught?tags=a", { tags: ["a"] }],
  ["caught", { tags: ["none"] }],
])("a single query value becomes a list where the JSON Schema declares a list: %s", async (path, value) => {
  const reply = await send(listApp(), `/${path}`);
  expect([reply.status, await reply.json()]).toEqual([200, value]);
});

test.each(["?split=a,b,c", "?ids=x", "?when=1", "plain?tags=a", "either?ids=x", "others?q=1&q=2"])(
  "a value that becomes a list is still validated: %s",
  async (path) => {
    expect((await send(listApp(), `/${path}`)).status).toBe(422);
  },
);

test("a single form value becomes a list where the JSON Schema declares a list", async () => {
  const reply = await send(listApp(), "/", form(new URLSearchParams({ tags: "a", both: "b" })));
  expect(await reply.json()).toEqual({ tags: ["a"], both: "b" });
  const data = new FormData();
  data.append("files", new File(["x"], "x.txt"));
  data.append("tags", "a");
  expect(await (await send(listApp(), "/", form(data))).json()).toEqual({ tags: ["a"], files: ["x.txt"] });
});

test("a query that its schema rejects for another reason than a list is validated once", async () => {
  let validations = 0;
  const page = z.string().refine(() => {
    validations++;
    return false;
  });
  const app = new App();
  app.get("/", { query: z.object({ tag: z.array(z.string()).optional(), page }) }, () => "x");
  expect((await app.fetch(new Request("http://x.test/?page=3"))).status).toBe(422);
  expect(validations).toBe(1);
});

test("a string in a JSON body does not become a list", async () => {
  expect((await send(listApp(), "/", json({ tags: "a" }))).status).toBe(422);
});
