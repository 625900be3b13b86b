import { App, Response } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { contractTest } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { openapi } from "../openapi.ts";
import { booksApp } from "../testing/books-app.test-fixture.ts";
import type { OpenapiDocument } from "./openapi-document.ts";

test("every reply to 4000 valid and invalid requests is documented", async () => {
  const app = booksApp();
  expect(await contractTest(app, { runs: 1000 })).toMatchObject({ operations: 4, requests: 4000 });
  await app.stop();
});

test("replies of guards, authentication and validation are documented", async () => {
  const app = new (App.with(openapi))().enableOpenapi();
  app.use({
    handle(request, next) {
      if (request.path === "/open" || request.path === "/openapi.json" || request.getHeader("x-key") === "k")
        return next(request);
      return new Response('{"error":"Unauthorized"}', { status: 401, contentType: "application/json" });
    },
    describeAuth: () => ({
      schemes: { apiKeyAuth: { type: "apiKey", in: "header", name: "x-key" } },
      skips: (path) => path === "/open" || path === "/openapi.json",
    }),
  });
  app.get("/open", { responses: { 200: z.array(z.string()) } }, () => ["x"]);
  app.get(
    "/closed/{id}",
    { params: z.object({ id: z.coerce.number().int().max(10) }) },
    ({ input }) => input.params,
  );
  app.put(
    "/guarded/{id}",
    { guards: [({ params }) => params["id"] === "1"], body: z.array(z.int()) },
    ({ input }) => input.body,
  );
  const cover = z.file().mime("image/png").max(100);
  app.post(
    "/covers",
    { body: z.object({ title: z.string().max(50), cover }) },
    ({ input }) => input.body.title,
  );
  app.patch("/any", async (request) => request.json());
  expect(await contractTest(app, { runs: 200 })).toMatchObject({ operations: 5 });
  expect(await contractTest(app, { runs: 200, headers: { "x-key": "k" } })).toMatchObject({ operations: 5 });
  await app.stop();
});

test("contractTest reports an undocumented reply", async () => {
  const teapot: Feature = {
    name: "teapot",
    install: (host) => {
      host.http.use("app", (request, next) =>
        request.query.has("genre") ? new Response("no", { status: 418 }) : next(request),
      );
      return {};
    },
  };
  const app = new (App.with(openapi, teapot))().enableOpenapi();
  app.get("/books", { query: z.object({ genre: z.string().optional() }) }, () => []);
  await expect(contractTest(app)).rejects.toThrow("GET /books answered 418, but documents 400, 422, 2XX");
  await app.stop();
});

test("strings are documented as text and as JSON, and null as a 204, and the replies pass the contract", async () => {
  const Title = z.enum(["Emma", "Persuasion"]).meta({ id: "Title" });
  const app = new (App.with(openapi))().enableOpenapi();
  const replies: readonly (readonly [string, z.ZodType, unknown])[] = [
    ["/text", z.string(), "hello"],
    ["/json-text", z.string(), Response.json("hello")],
    ["/title", Title, "Emma"],
    ["/union", z.union([z.string(), z.object({ id: z.int() })]), "hello"],
    ["/nullable", z.object({ id: z.int() }).nullable(), null],
    ["/present", z.object({ id: z.int() }).nullable(), { id: 1 }],
    ["/any", z.object({ id: z.int() }), { id: 1 }],
  ];
  for (const [path, schema, value] of replies)
    app.get(path, { responses: { 200: schema } }, () => (value instanceof Response ? value.clone() : value));
  expect(await contractTest(app, { runs: 10 })).toMatchObject({ operations: replies.length });
  const { paths } = (await (
    await app.fetch(new Request("http://test.local/openapi.json"))
  ).json()) as OpenapiDocument;
  await app.stop();
  const repliesOf = (path: string) => paths[path]?.["get"]?.responses ?? {};
  expect(repliesOf("/text")["200"]).toMatchObject({
    content: {
      "application/json": { schema: { type: "string" } },
      "text/plain": { schema: { type: "string" } },
    },
  });
  const title = { schema: { $ref: "#/components/schemas/Title" } };
  expect(repliesOf("/title")["200"]).toMatchObject({ content: { "text/plain": title } });
  expect(repliesOf("/union")["200"]).toMatchObject({
    content: { "text/plain": { schema: { type: "string" } } },
  });
  expect(repliesOf("/nullable")["204"]).toEqual({ description: "No content." });
  expect(Object.keys(repliesOf("/any"))).toEqual(["200", "400"]);
});
