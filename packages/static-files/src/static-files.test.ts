import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App } from "@framework/core";
import { eachClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { send, makeTree, servedApp } from "./served-app.test-kit.ts";
import { staticFiles } from "./index.ts";

const changed = new Date("2026-01-02T03:04:05Z");
const bytes = Uint8Array.from({ length: 200_000 }, (_, index) => index % 251);

const tree = {
  "index.html": "<p>index</p>",
  "site.css": "a{}",
  "empty.txt": "",
  "data.bin": bytes,
  "docs/index.html": "<p>docs</p>",
  "docs/a b.txt": "a",
  "bare/x.txt": "x",
};

const makeApp = () => {
  const { app, root } = servedApp(tree);
  utimesSync(join(root, "site.css"), changed, changed);
  return app;
};

eachClient(test, makeApp, {
  "GET returns the file, its type, lifetime and validators": async (client) => {
    const reply = await client.get("/static/site.css");
    expect([reply.status, reply.text]).toEqual([200, "a{}"]);
    expect(reply.headers.get("content-type")).toBe("text/css; charset=utf-8");
    expect(reply.headers.get("content-length")).toBe("3");
    expect(reply.headers.get("cache-control")).toBe("max-age=3600");
    expect(reply.headers.get("last-modified")).toBe("Fri, 02 Jan 2026 03:04:05 GMT");
    expect(reply.headers.get("accept-ranges")).toBe("bytes");
    expect(reply.headers.get("etag")).toMatch(/^"3-[\da-f]+"$/);
    expect(reply.headers.get("content-encoding")).toBeNull();
  },
  "HEAD returns the fields of GET and no body": async (client) => {
    for (const path of ["/static/site.css", "/static/data.bin", "/static/empty.txt"]) {
      const [got, head] = [await client.get(path), await client.head(path)];
      const fields = (reply: typeof got) =>
        [...reply.headers].filter(([name]) => name !== "date" && name !== "connection");
      expect([head.status, head.text]).toEqual([200, ""]);
      expect(fields(head)).toEqual(fields(got));
    }
  },
  "sends every byte of a file that is longer than one chunk": async (client) => {
    const reply = await client.get("/static/data.bin");
    expect(reply.headers.get("content-type")).toBe("application/octet-stream");
    expect(reply.headers.get("content-length")).toBe("200000");
    expect(Buffer.from(reply.bytes).equals(bytes)).toBe(true);
  },
  "an empty file is sent": async (client) => {
    const reply = await client.get("/static/empty.txt");
    expect([reply.status, reply.text, reply.headers.get("content-length")]).toEqual([200, "", "0"]);
  },
  "a folder returns its index file; without / it redirects and keeps the query": async (client) => {
    expect((await client.get("/static/")).text).toBe("<p>index</p>");
    expect((await client.get("/static/docs/")).text).toBe("<p>docs</p>");
    for (const [path, location] of [
      ["/static", "/static/"],
      ["/static/docs", "/static/docs/"],
      ["/static/docs?a=b%20c&d", "/static/docs/?a=b%20c&d"],
    ] as const) {
      const reply = await client.get(path);
      expect([reply.status, reply.headers.get("location")]).toEqual([301, location]);
      expect(reply.headers.get("cache-control")).toBe("max-age=3600");
    }
  },
  "a missing file and a folder without an index file return 404 with the standard body": async (client) => {
    for (const path of [
      "/static/nothing.txt",
      "/static/bare/",
      "/static/site.css/",
      "/static/site.css/x",
      `/static/${"x".repeat(300)}`,
    ]) {
      const reply = await client.get(path);
      expect([path, reply.status, reply.headers.get("etag")]).toEqual([path, 404, null]);
      expect(reply.json()).toEqual({
        error: "Not Found",
        detail: "There is no such file",
        status: 404,
        path,
      });
    }
  },
  "other methods return 405 with Allow": async (client) => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const reply = await client.request(method, "/static/site.css");
      expect([reply.status, reply.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    }
    const options = await client.options("/static/site.css");
    expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
  },
  "a path that only starts with the text of the prefix is not served": async (client) => {
    expect((await client.get("/staticx/site.css")).json()).toMatchObject({
      detail: "No route for GET /staticx/site.css",
    });
  },
});

test("a prefix of / serves the site, and routes of the app take precedence", async () => {
  const { app } = servedApp({ "index.html": "index", "a/b.txt": "b", api: "shadowed" }, { prefix: "/" });
  app.get("/api", () => "route");
  expect((await send(app, "/")).text).toBe("index");
  expect((await send(app, "/a/b.txt")).text).toBe("b");
  expect((await send(app, "/api")).text).toBe("route");
  expect((await send(app, "/a")).headers.get("location")).toBe("/a/");
  expect((await send(app, "//evil.test")).status).toBe(404);
  expect((await send(app, "//evil.test/..")).status).toBe(404);
});

test("a prefix may have several segments", async () => {
  const { app } = servedApp({ "index.html": "index", "a.txt": "a" }, { prefix: "/assets/größe" });
  const path = "/assets/gr%C3%B6%C3%9Fe";
  expect((await send(app, `${path}/a.txt`)).text).toBe("a");
  expect((await send(app, `${path}/`)).text).toBe("index");
  expect((await send(app, path)).headers.get("location")).toBe(`${path}/`);
});

test("indexFile, cacheMaxAge, cacheControl, extensions and headers are applied", async () => {
  const files = { "a.css": "a", "b.JS": "b", "c.txt": "c", "home.htm": "home", html: "no extension" };
  const { app } = servedApp(files, {
    indexFile: "home.htm",
    cacheMaxAge: 60,
    extensions: { css: 31_536_000, ".js": 0 },
    headers: { "X-Content-Type-Options": "nosniff" },
  });
  const control = async (path: string) => (await send(app, path)).headers.get("cache-control");
  expect((await send(app, "/static/")).text).toBe("home");
  expect(await control("/static/a.css")).toBe("max-age=31536000");
  expect(await control("/static/b.JS")).toBe("max-age=0");
  expect(await control("/static/c.txt")).toBe("max-age=60");
  expect((await send(app, "/static/c.txt")).headers.get("x-content-type-options")).toBe("nosniff");
  const other = servedApp(files, {
    cacheControl: "public, max-age=5, immutable",
    extensions: { css: 1 },
  }).app;
  expect((await send(other, "/static/c.txt")).headers.get("cache-control")).toBe(
    "public, max-age=5, immutable",
  );
  expect((await send(other, "/static/a.css")).headers.get("cache-control")).toBe("max-age=1");
});

test("a name without a dot has no extension, whatever extensions are configured", async () => {
  const { app } = servedApp(
    { css: "a", "a.css": "a", "a.b/css": "a" },
    { cacheMaxAge: 60, extensions: { css: 31_536_000 } },
  );
  const control = async (path: string) => (await send(app, path)).headers.get("cache-control");
  expect([await control("/static/css"), await control("/static/a.b/css")]).toEqual([
    "max-age=60",
    "max-age=60",
  ]);
  expect(await control("/static/a.css")).toBe("max-age=31536000");
});

test("etag and lastModified can be disabled, and a future modification time is omitted", async () => {
  const { app, root } = servedApp({ "a.txt": "a", "future.txt": "a" }, { etag: false });
  const future = new Date(Date.now() + 86_400_000);
  utimesSync(join(root, "future.txt"), future, future);
  const reply = await send(app, "/static/a.txt");
  expect([reply.headers.has("etag"), reply.headers.has("last-modified")]).toEqual([false, true]);
  expect((await send(app, "/static/future.txt")).headers.has("last-modified")).toBe(false);
  const without = await send(servedApp({ "a.txt": "a" }, { lastModified: false }).app, "/static/a.txt");
  expect([without.headers.has("etag"), without.headers.has("last-modified")]).toEqual([true, false]);
});

test("the ETag changes with a modification time 1 ms later, and with the length", async () => {
  const { app, root } = servedApp({ "a.txt": "a" });
  const etags = new Set<string | null>();
  const at = 1_767_225_600;
  for (const [content, secs] of [
    ["a", at],
    ["b", at + 0.001],
    ["bb", at + 0.001],
  ] as const) {
    writeFileSync(join(root, "a.txt"), content);
    utimesSync(join(root, "a.txt"), secs, secs);
    etags.add((await send(app, "/static/a.txt")).headers.get("etag"));
  }
  expect(etags.size).toBe(3);
});

test("app guards apply to files", async () => {
  const { app } = servedApp({ "a.txt": "a" });
  let isOpen = false;
  app.addGuard(() => isOpen);
  expect((await send(app, "/static/a.txt")).status).toBe(403);
  isOpen = true;
  expect((await send(app, "/static/a.txt")).status).toBe(200);
});

test("the folder may be a link, and is resolved when the app starts", async () => {
  const root = makeTree({ "release/a.txt": "a", current: { link: "release" } });
  const app = new (App.with(staticFiles))().enableStaticFiles({ directory: join(root, "current") });
  expect((await send(app, "/static/a.txt")).text).toBe("a");
  expect(app.snapshot()["static-files"]).toEqual({
    directory: join(root, "release"),
    prefix: "/static",
    openFiles: 0,
  });
});
