import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { compression } from "@framework/compression";
import { App } from "@framework/core";
import { securityHeaders } from "@framework/security";
import { staticFiles, type StaticFilesConfig } from "@framework/static-files";
import { fetchInPage } from "./pages.test-kit.ts";
import { summarize, recorder } from "./recorder.test-kit.ts";
import { inChromium } from "./in-chromium.test-kit.ts";

/** The smallest WebAssembly module. */
const emptyModule = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="7"></svg>';
const style = "h1 { color: rgb(1, 2, 3) }\n".repeat(100);

/** A folder of files, removed after the test. */
class Folder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "site-"));
  constructor(files: Readonly<Record<string, string | Uint8Array>>) {
    for (const [name, content] of Object.entries(files)) this.write(name, content);
  }
  write(name: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(this.path, name)), { recursive: true });
    writeFileSync(join(this.path, name), content);
  }
  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true });
  }
}

const site = ({ path }: Folder, options: Partial<StaticFilesConfig> = {}) =>
  new (App.with(recorder, staticFiles, compression, securityHeaders))()
    .enableStaticFiles({ directory: path, prefix: "/", ...options })
    .enableCompression()
    .enableSecurityHeaders({
      contentSecurityPolicy: { "default-src": ["'self'"], "script-src": ["'self'", "'wasm-unsafe-eval'"] },
    });

const page = "<!doctype html><title>page</title>";

inChromium({
  "HTML, CSS, SVG, JSON, WebAssembly and modules have the media types that browsers require": async ({
    serve,
    visit,
  }) => {
    using folder = new Folder({
      "index.html": `${page}<link rel="stylesheet" href="a.css"><h1>a</h1><img src="a.svg"><script type="module" src="a.mjs"></script>`,
      "a.css": style,
      "a.svg": picture,
      "a.json": '{"name":"Emma"}',
      "a.wasm": emptyModule,
      "a.mjs": `import book from "./a.json" with { type: "json" };
        globalThis.name = book.name;
        globalThis.compiled = WebAssembly.compileStreaming(fetch("a.wasm"));`,
    });
    const { url } = await serve(site(folder));
    const visited = await visit(url);
    assert.deepEqual(
      await visited.evaluate(`compiled.then((module) => [
        name,
        module instanceof WebAssembly.Module,
        document.querySelector("img").naturalWidth,
        getComputedStyle(document.querySelector("h1")).color,
      ])`),
      ["Emma", true, 9, "rgb(1, 2, 3)"],
    );
  },

  "precompressed files are sent in the coding that this browser accepts": async ({ serve, visit }) => {
    using folder = new Folder({
      "index.html": page,
      "a.css": style,
      "a.css.br": brotliCompressSync(style),
      "a.css.gz": gzipSync(style, { level: 1 }),
    });
    const served = await serve(site(folder));
    for (const [url, coding] of [
      [served.url, "br"],
      [served.as("good.example"), "gzip"],
    ] as const) {
      const { headers, text } = await (await visit(url)).run(fetchInPage, "/a.css");
      assert.deepEqual([headers["content-encoding"], text === style], [coding, true]);
      assert.match(headers["vary"] ?? "", /accept-encoding/i);
    }
  },

  "a folder shows its index file, and redirects to a trailing slash so that relative links work": async ({
    serve,
    visit,
  }) => {
    using folder = new Folder({
      "docs/index.html": `${page}<script src="own.js"></script>`,
      "docs/own.js": "globalThis.ran = true",
    });
    const { url } = await serve(site(folder));
    const visited = await visit(`${url}/docs?q=1`);
    assert.deepEqual(await visited.evaluate("[location.pathname, location.search, ran]"), [
      "/docs/",
      "?q=1",
      true,
    ]);
  },

  "within max-age the browser sends no request for a file, and a no-cache fetch revalidates it": async ({
    serve,
    visit,
  }) => {
    using folder = new Folder({
      "index.html": `${page}<script src="a.js"></script>`,
      "other.html": `${page}<script src="a.js"></script>`,
      "a.js": "globalThis.ran = 1",
    });
    const app = site(folder);
    const { url } = await serve(app);
    const visited = await visit(`${url}/index.html`);
    await visited.goTo(`${url}/other.html`);
    assert.equal(await visited.evaluate("ran"), 1);
    assert.deepEqual(summarize(app.received("/a.js")), ["GET 200"]);
    assert.equal((await visited.run(fetchInPage, "/a.js", { cache: "no-cache" })).text, "globalThis.ran = 1");
    assert.deepEqual(summarize(app.received("/a.js")), ["GET 200", "GET 304"]);
    folder.write("a.js", "globalThis.ran = 22");
    assert.equal(
      (await visited.run(fetchInPage, "/a.js", { cache: "no-cache" })).text,
      "globalThis.ran = 22",
    );
  },

  "without max-age a file is revalidated each time, by tag or date, precompressed or compressed on demand":
    async ({ serve, visit }) => {
      using folder = new Folder({
        "index.html": page,
        "before.css": style,
        "before.css.br": brotliCompressSync(style),
        "now.css": style,
      });
      for (const etag of [true, false]) {
        const app = site(folder, { cacheMaxAge: 0, etag });
        const { url } = await serve(app);
        const visited = await visit(url);
        for (const path of ["/before.css", "/now.css"]) {
          for (let turn = 0; turn < 2; turn++)
            assert.equal((await visited.run(fetchInPage, path)).text, style);
          assert.deepEqual(summarize(app.received(path)), ["GET 200", "GET 304"]);
          const { headers } = app.received(path)[1] ?? { headers: {} };
          assert.deepEqual(["if-none-match" in headers, "if-modified-since" in headers], [etag, true]);
        }
      }
    },

  "files whose names have spaces, punctuation or letters of any script are found": async ({
    serve,
    visit,
  }) => {
    const names = ["a b.txt", "50%.txt", "a#b?.txt", "Übung+日本.txt", "a&b=c;d.txt"];
    using folder = new Folder({
      "index.html": page,
      ...Object.fromEntries(names.map((name) => [name, name])),
    });
    const { url } = await serve(site(folder));
    const visited = await visit(url);
    for (const name of names)
      assert.equal((await visited.run(fetchInPage, `/${encodeURIComponent(name)}`)).text, name);
    assert.equal((await visited.run(fetchInPage, "/a b.txt")).text, "a b.txt");
    assert.equal((await visited.run(fetchInPage, "/Übung+日本.txt")).text, "Übung+日本.txt");
  },
});
