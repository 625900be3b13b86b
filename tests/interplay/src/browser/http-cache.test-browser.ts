import assert from "node:assert/strict";
import { caching } from "@framework/cache";
import { compression } from "@framework/compression";
import { App, Response } from "@framework/core";
import { etag } from "@framework/etag";
import { fetchInPage, pageOf } from "./pages.test-kit.ts";
import { summarize, recorder } from "./recorder.test-kit.ts";
import { type BrowserTests, inChromium } from "./in-chromium.test-kit.ts";

const text = "a line that is worth compressing\n".repeat(200);

const news = () => {
  const app = new (App.with(recorder, caching, etag, compression))().enableEtag();
  app.get("/", () => pageOf("").setHeader("cache-control", "no-cache"));
  app.get("/fresh", () => Response.text(text, { headers: { "cache-control": "max-age=60" } }));
  app.get("/no-cache", () => Response.text(text, { headers: { "cache-control": "no-cache" } }));
  app.get("/no-store", () => Response.text(text, { headers: { "cache-control": "no-store" } }));
  return app;
};

/** An app with the reply cache, and a page that changes after each invalidation. */
const cachedNews = (clientTtlSecs = 0) => {
  const app = news().enableCaching({ ttl: 60, clientTtlSecs });
  let edition = 1;
  app.get("/edition", { cache: { tags: ["edition"] } }, () => `edition ${edition++}`);
  return app;
};

const codings = ["br", "gzip", "zstd"] as const;

const revalidation: BrowserTests = Object.fromEntries(
  codings.map((coding) => [
    `a ${coding} reply is revalidated with its ETag, and on a 304 the page sees 200 and the cached text`,
    async ({ serve, visit }) => {
      const app = news().enableCompression({ encodings: [coding] });
      const { url } = await serve(app);
      const page = await visit(url);
      const first = await page.run(fetchInPage, `${url}/no-cache`);
      const second = await page.run(fetchInPage, `${url}/no-cache`);
      for (const reply of [first, second]) {
        assert.deepEqual([reply.status, reply.text === text], [200, true]);
        assert.equal(reply.headers["content-encoding"], coding);
        assert.match(reply.headers["vary"] ?? "", /accept-encoding/i);
      }
      const [, conditional] = app.received("/no-cache");
      assert.equal(conditional?.headers["if-none-match"], first.headers["etag"]);
      assert.deepEqual(summarize(app.received("/no-cache")), ["GET 200", "GET 304"]);
    },
  ]),
);

inChromium({
  ...revalidation,

  "the browser accepts neither br nor zstd over plain HTTP, except from 127.0.0.1": async ({
    serve,
    visit,
  }) => {
    const app = news().enableCompression({ encodings: ["br", "zstd", "gzip"] });
    const site = await serve(app);
    const codingAt = async (url: string) =>
      (await (await visit(url)).run(fetchInPage, `${url}/fresh`)).headers["content-encoding"];
    assert.equal(await codingAt(site.url), "br");
    assert.equal(await codingAt(site.as("good.example")), "gzip");
    const [loopback, other] = app.received("/fresh").map(({ headers }) => headers["accept-encoding"]);
    assert.deepEqual([loopback, other], ["gzip, deflate, br, zstd", "gzip, deflate"]);
  },

  "the browser sends no request within max-age, and always sends one with no-store": async ({
    serve,
    visit,
  }) => {
    const app = news().enableCompression();
    const { url } = await serve(app);
    const page = await visit(url);
    for (const path of ["/fresh", "/fresh", "/no-store", "/no-store"])
      assert.equal((await page.run(fetchInPage, `${url}${path}`)).text, text);
    assert.deepEqual(summarize(app.received("/fresh")), ["GET 200"]);
    assert.deepEqual(summarize(app.received("/no-store")), ["GET 200", "GET 200"]);
  },

  "a reloaded page is revalidated with its ETag, and an outdated ETag gets the new text": async ({
    serve,
    visit,
  }) => {
    const app = news();
    let title = "first";
    app.get("/page", () => pageOf(`<h1>${title}</h1>`));
    const { url } = await serve(app);
    const page = await visit(`${url}/page`);
    const shown = () => page.evaluate<string>(`document.querySelector("h1").textContent`);
    await page.reload();
    assert.equal(await shown(), "first");
    title = "second";
    await page.reload();
    assert.equal(await shown(), "second");
    assert.deepEqual(summarize(app.received("/page")), ["GET 200", "GET 304", "GET 200"]);
  },

  "another browser gets the stored reply, and its page sees Cache-Status and Age": async ({
    serve,
    visit,
  }) => {
    const app = cachedNews().enableCompression();
    const { url } = await serve(app);
    const [ada, bob] = [await visit(url), await visit(url)];
    const [first, second] = [
      await ada.run(fetchInPage, `${url}/edition`),
      await bob.run(fetchInPage, `${url}/edition`),
    ];
    assert.deepEqual([first.text, second.text], ["edition 1", "edition 1"]);
    assert.deepEqual([first.headers["x-cache"], second.headers["x-cache"]], ["MISS", "HIT"]);
    assert.match(second.headers["cache-status"] ?? "", /^framework; hit/);
    assert.match(second.headers["age"] ?? "", /^\d+$/);
  },

  "the browser sends a request each time, so an invalidation takes effect immediately": async ({
    serve,
    visit,
  }) => {
    const app = cachedNews();
    const { url } = await serve(app);
    const page = await visit(url);
    const edition = async () => (await page.run(fetchInPage, `${url}/edition`)).text;
    assert.deepEqual([await edition(), await edition()], ["edition 1", "edition 1"]);
    await app.invalidateCache(["edition"]);
    assert.equal(await edition(), "edition 2");
    assert.equal(app.received("/edition").length, 3);
  },

  "with clientTtlSecs the browser also caches the replies that the reply cache stores, and an invalidation takes effect only when the page bypasses that cache":
    async ({ serve, visit }) => {
      const app = cachedNews(60);
      const { url } = await serve(app);
      const page = await visit(url);
      const edition = async (cache: "default" | "no-cache") =>
        (await page.run(fetchInPage, `${url}/edition`, { cache })).text;
      assert.equal(await edition("default"), "edition 1");
      await app.invalidateCache(["edition"]);
      assert.equal(await edition("default"), "edition 1");
      assert.deepEqual(summarize(app.received("/edition")), ["GET 200"]);
      assert.equal(await edition("no-cache"), "edition 2");
      assert.equal(await edition("default"), "edition 2");
    },

  "the reply cache replies to a reload with 304, and the handler is not called again": async ({
    serve,
    visit,
  }) => {
    const app = news()
      .enableCaching({ ttl: 60 })
      .enableCompression({ encodings: ["br"] });
    let calls = 0;
    app.get("/page", () => pageOf(`<h1>${++calls}</h1>${text}`));
    const { url } = await serve(app);
    const page = await visit(`${url}/page`);
    await page.reload();
    assert.equal(await page.evaluate(`document.querySelector("h1").textContent`), "1");
    assert.deepEqual([summarize(app.received("/page")), calls], [["GET 200", "GET 304"], 1]);
  },
});
