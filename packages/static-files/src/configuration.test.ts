import { join } from "node:path";
import { App } from "@framework/core";
import type { Host, Metric } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { staticFiles, StaticFilesConfig } from "./index.ts";
import { send, makeTree, servedApp } from "./served-app.test-kit.ts";

test("all problems of a configuration are reported together, at start", async () => {
  const bad = {
    directory: "",
    prefix: "static",
    indexFile: "../index.html",
    cacheMaxAge: -1,
    etag: "yes",
    lastModified: 1,
    cacheControl: "a\r\nb",
    precompressed: "br",
    dotFiles: null,
    directoryListing: "on",
    headers: { "x-a": "a\nb" },
    extensions: { html: -1 },
  };
  expect(Object.keys(bad)).toEqual(Object.keys(StaticFilesConfig.of()));
  const app = new (App.with(staticFiles))().enableStaticFiles(bad as never);
  const starting = app.start();
  for (const field of Object.keys(bad))
    await expect(starting).rejects.toThrow(`StaticFilesConfig.${field} must be`);
});

test("values of prefix, indexFile, headers, extensions and cacheControl are validated", () => {
  const problems = (field: string, values: readonly unknown[]) =>
    values.map((value) => StaticFilesConfig.read({ [field]: value }).problems.length);
  expect(problems("prefix", ["/", "/a", "/a/b", "/größe", "/a b"])).toEqual([0, 0, 0, 0, 0]);
  expect(
    problems("prefix", ["", "a", "/a/", "//", "/a//b", "/{x}", "/..", "/a/./b", "/a?b", "/%2e", "/a\\b"]),
  ).toEqual(Array.from({ length: 11 }, () => 1));
  expect(
    problems("indexFile", ["index.htm", ".index", "a b", "", "a/b", "..", "a\\b", "a:b", "x".repeat(256)]),
  ).toEqual([0, 0, 0, 1, 1, 1, 1, 1, 1]);
  expect(
    problems("headers", [
      {},
      { "X-A": "b" },
      { ETag: '"x"' },
      { "Content-Type": "a/b" },
      { "a b": "c" },
      { a: 1 },
      [],
      "x",
    ]),
  ).toEqual([0, 0, 1, 1, 1, 1, 1, 1]);
  expect(
    problems("extensions", [
      {},
      { html: 0, ".js": 5 },
      { "a.b": 1 },
      { "": 1 },
      { js: 0.5 },
      { js: "1" },
      [],
    ]),
  ).toEqual([0, 0, 1, 1, 1, 1, 1]);
  expect(problems("cacheControl", ["no-store", undefined, "", 5])).toEqual([0, 0, 1, 1]);
});

test("directory is required and must exist", async () => {
  const app = new (App.with(staticFiles))().enableStaticFiles({} as never);
  await expect(app.start()).rejects.toThrow("StaticFilesConfig.directory must be set");
  const bare = new (App.with(staticFiles))();
  (bare.enableStaticFiles as () => unknown)();
  await expect(bare.start()).rejects.toThrow("StaticFilesConfig.directory must be set");
  const root = makeTree({ "a.txt": "a" });
  for (const directory of [join(root, "none"), join(root, "a.txt")]) {
    const absent = new (App.with(staticFiles))().enableStaticFiles({ directory });
    absent.get("/page", undefined as never);
    await expect(absent.start()).rejects.toMatchObject({
      problems: expect.arrayContaining([
        expect.objectContaining({ code: "CORE_BAD_ROUTE" }),
        expect.objectContaining({
          code: "STATIC_FILES_NO_DIRECTORY",
          message: expect.stringContaining(`${directory} is not a folder`),
        }),
      ]),
    });
  }
});

test("a metric counts open files", async () => {
  let metrics: readonly Metric[] = [];
  const numbers = {
    name: "numbers",
    install: (host: Host) => {
      host.life.onStart(() => void (metrics = host.insight.metrics()));
      return {};
    },
  };
  const directory = makeTree({ "big.bin": new Uint8Array(1_000_000) });
  const app = new (App.with(staticFiles, numbers))().enableStaticFiles({ directory });
  const open = () => metrics.find(({ name }) => name === "static_files_open")?.read();
  const reply = await app.fetch(new Request("http://localhost/static/big.bin"));
  expect(open()).toBe(1);
  await reply.bytes();
  expect(open()).toBe(0);
});

test("app.routes names the feature that added the routes of static files", async () => {
  const { app } = servedApp({ "a.txt": "a" });
  await send(app, "/static/a.txt");
  expect(app.routes.map(({ method, path, addedBy }) => [method, path, addedBy])).toEqual([
    ["GET", "/static", "static-files"],
    ["GET", "/static/", "static-files"],
    ["GET", "/static/{*file}", "static-files"],
  ]);
});
