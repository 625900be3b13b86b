import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { App } from "@framework/core";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { z } from "zod";
import { openapi } from "../openapi.ts";
import { booksApp } from "../testing/books-app.test-fixture.ts";
import { generateClient } from "./generate-client.ts";

const folder = mkdtempSync(join(tmpdir(), "openapi-client-"));
const app = booksApp({ title: "Books" });
let client = "";

beforeAll(async () => {
  client = generateClient(await (await app.fetch(new Request("http://test.local/openapi.json"))).json());
  writeFileSync(join(folder, "client.ts"), client);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await app.stop();
});

const strict = {
  noEmit: true,
  strict: true,
  target: "es2025",
  lib: ["es2025", "dom", "dom.iterable"],
  types: [],
  module: "nodenext",
  allowImportingTsExtensions: true,
  declaration: true,
  isolatedDeclarations: true,
  erasableSyntaxOnly: true,
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
};

/** Compiler errors of a program that imports the client. */
const complaintsOf = (program: string): string => {
  writeFileSync(join(folder, "program.ts"), program);
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: strict, include: ["*.ts"] }),
  );
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
    "bin/tsc",
  );
  const { stdout, status } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
  return status === 0 ? "" : stdout;
};

test("a route is one line", () => {
  expect(
    client.split("\n").filter((line) => line.includes('"GET /books/{id}"') && line.includes("replies")),
  ).toEqual([
    '  "GET /books/{id}": { params: { id: string }; replies: { 200: Schemas["Book"]; 400: Schemas["Error"]; 404: { error: string; id?: number } } };',
  ]);
});

test("the compiler accepts the routes' inputs, and discriminates replies by status", () => {
  const program = `
import { createClient, type Schemas } from "./client.ts";
const call = createClient("https://api.example/v1", { headers: { accept: "application/json" } });
export const run = async (): Promise<Schemas["Book"] | null> => {
  await call("GET /books");
  await call("GET /books", { query: { genre: "SciFi", ids: ["1"] }, signal: AbortSignal.timeout(1000) });
  const added = await call("POST /books", { body: { title: "Emma", year: null } });
  if (added.status === 422) return added.body.errors?.map(({ msg }) => msg).join() === "" ? null : null;
  const found = await call("GET /books/{id}", { params: { id: "1" } });
  if (found.ok) return found.body;
  if (found.status === 404) { const id: number | undefined = found.body.id; return id === 1 ? null : null; }
  const status: 400 | 500 | 501 | 502 | 503 | 504 = found.status;
  const gone: undefined | unknown = (await call("DELETE /books/{id}", { params: { id: "1" } })).body;
  return status === 400 && gone === undefined ? null : null;
};
// @ts-expect-error the path has a parameter
void call("GET /books/{id}");
// @ts-expect-error there is no such route
void call("GET /authors");
// @ts-expect-error a book has a title
void call("POST /books", { body: {} });
// @ts-expect-error no such query
void call("GET /books", { query: { gender: "x" } });
`;
  expect(complaintsOf(program)).toBe("");
});

interface Called {
  readonly status: number;
  readonly ok: boolean;
  readonly body: unknown;
}

test("a client calls a real app", async () => {
  const { createClient } = (await import(pathToFileURL(join(folder, "client.ts")).href)) as {
    createClient(base: string, options: object): (key: string, input?: object) => Promise<Called>;
  };
  const targets: string[] = [];
  const call = createClient("http://test.local/", {
    fetch: (url: string, init: RequestInit) => {
      targets.push(`${init.method} ${url}`);
      return app.fetch(new Request(url, init));
    },
  });
  expect(await call("POST /books", { body: { title: "Dune" } })).toMatchObject({
    status: 201,
    ok: true,
    body: { id: 1, title: "Dune", genre: "General", year: null },
  });
  expect(
    (await call("GET /books", { query: { genre: "General", ids: ["1", "2"], none: undefined } })).body,
  ).toMatchObject({ total: 1 });
  expect(await call("GET /books/{id}", { params: { id: "a/b?c" } })).toMatchObject({
    status: 400,
    ok: false,
  });
  expect(await call("DELETE /books/{id}", { params: { id: 1 } })).toMatchObject({
    status: 204,
    ok: true,
    body: undefined,
  });
  expect(await call("GET /books/{id}", { params: { id: 1 } })).toMatchObject({
    status: 404,
    body: { error: "Book not found" },
  });
  expect(targets.slice(0, 3)).toEqual([
    "POST http://test.local/books",
    "GET http://test.local/books?genre=General&ids=1&ids=2",
    "GET http://test.local/books/a%2Fb%3Fc",
  ]);
});

test("a client sends the files of a route as a form, typed as Blobs", async () => {
  const covers = new (App.with(openapi))().enableOpenapi();
  const body = z.object({
    title: z.string(),
    pages: z.coerce.number(),
    tags: z.array(z.string()),
    cover: z.file(),
  });
  covers.post("/covers", { body }, async ({ input: { body: got } }) => ({
    ...got,
    cover: [got.cover.name, got.cover.type, await got.cover.text()],
  }));
  const document = await (await covers.fetch(new Request("http://test.local/openapi.json"))).json();
  const text = generateClient(document);
  expect(text).toContain("body: { title: string; pages: number; tags: string[]; cover: Blob }");
  writeFileSync(join(folder, "covers.ts"), text);
  const { createClient } = (await import(pathToFileURL(join(folder, "covers.ts")).href)) as {
    createClient(base: string, options: object): (key: string, input?: object) => Promise<Called>;
  };
  const call = createClient("http://test.local", {
    fetch: (url: string, init: RequestInit) => covers.fetch(new Request(url, init)),
  });
  const cover = new File(["png"], "emma.png", { type: "image/png" });
  expect(
    await call("POST /covers", { body: { title: "Emma", pages: 3, tags: ["a", "b"], cover } }),
  ).toMatchObject({
    status: 200,
    body: { title: "Emma", pages: 3, tags: ["a", "b"], cover: ["emma.png", "image/png", "png"] },
  });
  await covers.stop();
});

test("header parameters are part of the input, beside any other field", async () => {
  const route = { responses: { 204: { description: "Done." } } };
  const field = (required: boolean) => ({
    name: "Idempotency-Key",
    in: "header",
    required,
    schema: { type: "string" },
  });
  const document = {
    openapi: "3.1.0",
    info: { title: "Orders", version: "1" },
    paths: {
      "/orders": {
        get: route,
        post: { ...route, parameters: [field(true)] },
        put: { ...route, parameters: [field(false)] },
      },
    },
  };
  writeFileSync(join(folder, "orders.ts"), generateClient(document));
  const program = `
import { createClient } from "./orders.ts";
const call = createClient("https://api.example");
void call("POST /orders", { headers: { "Idempotency-Key": "1", "x-other": "2" } });
void call("PUT /orders");
void call("PUT /orders", { headers: { "x-other": "2" } });
void call("GET /orders", { headers: { "x-other": "2" } });
// @ts-expect-error the key is required
void call("POST /orders");
// @ts-expect-error the key is required
void call("POST /orders", { headers: { "x-other": "2" } });
// @ts-expect-error the key is a text
void call("PUT /orders", { headers: { "Idempotency-Key": 1 } });
`;
  expect(complaintsOf(program)).toBe("");
  const { createClient } = (await import(pathToFileURL(join(folder, "orders.ts")).href)) as {
    createClient(base: string, options: object): (key: string, input?: object) => Promise<Called>;
  };
  const sent: unknown[] = [];
  const fetch = async (_url: string, { headers }: RequestInit) => {
    sent.push(Object.fromEntries(new Headers(headers)));
    return new Response(null, { status: 204 });
  };
  await createClient("http://test.local", { fetch })("POST /orders", {
    headers: { "Idempotency-Key": "1", "x-none": undefined },
  });
  expect(sent).toEqual([{ "idempotency-key": "1" }]);
});

test("text of a hostile document cannot become code", () => {
  const evil = '"; }\n\u2028throw 1; // */ `${1}`';
  const document = {
    openapi: "3.1.0",
    info: { title: evil, version: evil },
    paths: {
      [`/${evil}`]: {
        get: {
          parameters: [{ name: evil, in: "query", schema: { const: evil } }],
          responses: { [evil]: {} },
        },
      },
    },
    components: {
      schemas: {
        [evil]: { properties: { [evil]: { $ref: `#/components/schemas/${evil.replaceAll("/", "~1")}` } } },
      },
    },
  };
  writeFileSync(join(folder, "hostile.ts"), generateClient(document));
  expect(complaintsOf("export {};")).toBe("");
});

test("a value other than a document is refused", () => {
  for (const value of [null, [], "x", {}, { openapi: "2.0" }])
    expect(() => generateClient(value)).toThrow("not an OpenAPI 3 document");
});
