import { App, Blueprint } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { openapi } from "../openapi.ts";
import type { OpenapiDocument, Operation } from "./openapi-document.ts";

const DocumentedApp = App.with(openapi);

const documentOf = async (app: App): Promise<OpenapiDocument> => {
  const reply = await app.fetch(new Request("http://test.local/openapi.json"));
  await app.stop();
  return (await reply.json()) as OpenapiDocument;
};

/** Returns every operation, by method and path. */
const operationsOf = async (app: App): Promise<Record<string, Operation>> =>
  Object.fromEntries(
    Object.entries((await documentOf(app)).paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [`${method} ${path}`, operation]),
    ),
  );

test("the document of an unconfigured app has the documented defaults", async () => {
  const document = await documentOf(new DocumentedApp().enableOpenapi());
  expect(document).toEqual({
    openapi: "3.1.0",
    info: { title: "Framework API", version: "1.0.1" },
    servers: [{ url: "/" }],
    security: [],
    paths: {},
    components: { schemas: {}, responses: {} },
  });
});

test("title, version, description, licence, servers and tags are configurable", async () => {
  const about = {
    title: "Books",
    version: "2.0.0",
    description: "All of them.",
    license: { name: "MIT", identifier: "MIT" },
  };
  const places = {
    servers: [{ url: "https://api.example", description: "live" }],
    tags: [{ name: "books" }],
  };
  const document = await documentOf(new DocumentedApp().enableOpenapi({ ...about, ...places }));
  expect(document).toMatchObject({ info: about, ...places });
});

test("an operation has the name, summary, description and tags of its route", async () => {
  const app = new DocumentedApp().enableOpenapi();
  const books = new Blueprint("/orgs/{org}", { tags: ["orgs"] });
  books.get("/books/{id}", { summary: "A book", description: "One.", tags: ["books"] }, () => 1);
  app.registerBlueprint(books);
  expect((await operationsOf(app))["get /orgs/{org}/books/{id}"]).toEqual({
    operationId: "get_orgs_org_books_id",
    summary: "A book",
    description: "One.",
    tags: ["orgs", "books"],
    parameters: [
      { name: "org", in: "path", required: true, schema: { type: "string" } },
      { name: "id", in: "path", required: true, schema: { type: "string" } },
    ],
    responses: {
      "2XX": { description: "Success." },
      "400": { $ref: "#/components/responses/BadRequest" },
      "404": { $ref: "#/components/responses/NotFound" },
    },
  });
});

test("the default summary is method and path, and every method is listed", async () => {
  const app = new DocumentedApp().enableOpenapi();
  const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"] as const;
  app.route("/all", { methods }, () => 1);
  const operations = await operationsOf(app);
  expect(Object.entries(operations).map(([key, { summary }]) => [key, summary])).toEqual([
    ["get /all", "GET /all"],
    ["head /all", "HEAD /all"],
    ["post /all", "POST /all"],
    ["put /all", "PUT /all"],
    ["patch /all", "PATCH /all"],
    ["delete /all", "DELETE /all"],
    ["options /all", "OPTIONS /all"],
    ["x-query /all", "QUERY /all"],
  ]);
  const bodies = Object.entries(operations).filter(([, { requestBody }]) => requestBody !== undefined);
  expect(bodies.map(([key]) => key)).toEqual(["post /all", "put /all", "patch /all", "x-query /all"]);
  expect(bodies[0]?.[1].requestBody).toEqual({
    content: { "application/json": { schema: { type: "object" } } },
  });
});

test("operation ids are unique even if paths have the same words, and a route's name is its id", async () => {
  const app = new DocumentedApp().enableOpenapi();
  app.get("/a/b", () => 1);
  app.get("/a-b", () => 1);
  app.get("/a_b", () => 1);
  app.get("/z", { name: "get_a_b_2" }, () => 1);
  app.route("/both", { methods: ["GET", "POST"], name: "both" }, () => 1);
  const operations = await operationsOf(app);
  expect(
    Object.fromEntries(Object.entries(operations).map(([key, { operationId }]) => [key, operationId])),
  ).toEqual({
    "get /a-b": "get_a_b",
    "get /a/b": "get_a_b_3",
    "get /a_b": "get_a_b_4",
    "get /both": "both",
    "get /z": "get_a_b_2",
    "post /both": "both_2",
  });
});

test("hidden routes and routes of features are omitted", async () => {
  const pages: Feature<{ enablePages(): unknown }> = {
    name: "pages",
    install: (host) => ({ enablePages: () => host.http.route("GET", "/page", () => 1) }),
  };
  const app = new (App.with(openapi, pages))().enableOpenapi();
  app.enablePages();
  app.get("/hidden", { hidden: true }, () => 1);
  app.get("/shown", { hidden: false }, () => 1);
  expect(Object.keys(await operationsOf(app))).toEqual(["get /shown"]);
});

test("hidden must be true or false", async () => {
  const app = new DocumentedApp().enableOpenapi();
  app.get("/", { hidden: "yes" as unknown as boolean }, () => 1);
  await expect(app.start()).rejects.toThrow("hidden: must be true or false");
});

test("paths that differ only in parameter names are merged, with the names that sort first", async () => {
  const app = new DocumentedApp().enableOpenapi();
  app.get("/books/{id}", () => 1);
  app.delete("/books/{book}/", () => 1);
  app.delete("/books/{book}", () => 1);
  const operations = await operationsOf(app);
  expect(Object.keys(operations)).toEqual([
    "delete /books/{book}",
    "get /books/{book}",
    "delete /books/{book}/",
  ]);
  expect(operations["get /books/{book}"]?.parameters?.map(({ name }) => name)).toEqual(["book"]);
});

test("a wildcard is a parameter with slashes, or omitted with a warning if its method has a plain parameter at the same position", async () => {
  const warnings: string[] = [];
  const app = new DocumentedApp().enableOpenapi();
  app.get("/files/{*path}", () => 1);
  app.get("/files/{name}", () => 1);
  app.put("/trees/{*path}", () => 1);
  await app.start({ log: { info() {}, warn: (text) => void warnings.push(text), error() {} } });
  const operations = await operationsOf(app);
  expect(Object.keys(operations)).toEqual(["get /files/{name}", "put /trees/{path}"]);
  expect(operations["put /trees/{path}"]?.parameters?.[0]?.description).toBe(
    "The rest of the path, including slashes.",
  );
  expect(warnings).toEqual([
    "GET /files/{*path} is not in the API document: OpenAPI cannot distinguish its path from /files/{name}",
  ]);
});

test("the document does not depend on the order of registration", async () => {
  const routes = ["/b", "/a/{id}", "/a", "/c/{x}/d", "/"];
  const textOf = async (paths: readonly string[]) => {
    const app = new DocumentedApp().enableOpenapi();
    for (const path of paths) {
      app.get(path, () => 1);
      app.post(path, () => 1);
    }
    return JSON.stringify(await documentOf(app));
  };
  expect(await textOf(routes.toReversed())).toBe(await textOf(routes));
});
