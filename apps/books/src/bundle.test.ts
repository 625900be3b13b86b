import { readdirSync, readFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { type Program, startProgram } from "@framework/testing";

const folder = join(import.meta.dirname, "../dist/service");

/** Starts the service as its container does; the build must be up to date. */
const startBundle = (env: Readonly<Record<string, string>>, workers: number): Promise<Program> =>
  startProgram(join(folder, "main.js"), {
    args: ["--workers", String(workers)],
    env: { FRAMEWORK_ENV: "production", BOOKS_DEVTOOLS: "off", NODE_OPTIONS: "", ...env },
    timeoutMs: 120_000,
  });

test("the bundled service finds the files of the program and of its packages", async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), "books-bundle-"));
  const database = `sqlite://${join(temporary.path, "books.db")}`;
  await using service = await startBundle({ DATABASE_URL: database, BOOKS_GRPC: "127.0.0.1:0" }, 2);
  const get = (path: string) => service.client.get(path, { headers: { accept: "text/html, */*" } });
  expect((await get("/")).text).toContain("<html"); // public/index.html
  expect((await get("/books")).json()).toEqual({ books: [], total: 0 }); // migrations/*.sql
  const page = await get("/docs");
  const [, asset = ""] = /src="([^"]+\.js)"/.exec(page.text) ?? []; // assets of the package for OpenAPI
  expect((await get(new URL(asset, `${service.url}/docs`).pathname)).status).toBe(200);
  const query = { query: "{ __typename }" };
  expect((await service.client.post("/graphql", { json: query })).json()).toEqual({
    data: { __typename: "Query" },
  });
  expect(service.output()).toContain('"name":"grpc"'); // lending.proto, and the libraries of gRPC
});

test("the bundled service finds a library that it loads on first use", async () => {
  const started = startBundle({ DATABASE_URL: "postgres://127.0.0.1:1/books" }, 1);
  await expect(started).rejects.toThrow(/ECONNREFUSED 127\.0\.0\.1:1/);
});

test("the bundle contains the npm packages, and no path of the build machine", () => {
  const files = readdirSync(folder);
  expect(files).toContain("main.js");
  expect(files.length).toBeLessThan(100);
  const text = files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
  expect(text).not.toMatch(/from "(?:@framework|zod|graphql)/);
  expect(text).not.toContain(join(import.meta.dirname, "../../.."));
});
