import assert from "node:assert/strict";
import { App, Response } from "@framework/core";
import { cors } from "@framework/cors";
import { cspNonce, securityHeaders, type SecurityHeadersConfig } from "@framework/security";
import { waitFor } from "@framework/testing";
import { fetchInPage, emptyPage, pageOf } from "./pages.test-kit.ts";
import { recorder } from "./recorder.test-kit.ts";
import { inChromium } from "./in-chromium.test-kit.ts";

const withNonce = { "default-src": ["'self'"], "script-src": ["'self'", "'nonce'"] };

const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>';

/** Pages whose scripts record their names in `ran`. */
const site = (options: Partial<SecurityHeadersConfig> = {}) => {
  const app = new (App.with(recorder, cors, securityHeaders))().enableSecurityHeaders(options);
  const recordRun = (name: string) => `(globalThis.ran ??= []).push("${name}")`;
  app.get("/", () => pageOf(""));
  app.get("/own.js", () => new Response(recordRun("own"), { contentType: "text/javascript" }));
  app.get("/text.txt", () => Response.text(recordRun("text")));
  app.get("/picture.svg", () => new Response(picture, { contentType: "image/svg+xml" }));
  app.get("/scripts", (request) =>
    pageOf(`
      <script>${recordRun("inline")}</script>
      <script nonce="guessed">${recordRun("guessed")}</script>
      <script nonce="${cspNonce(request)}">${recordRun("nonce")}</script>
      <img src="data:," onerror='${recordRun("attribute")}'>
      <script src="/own.js"></script>`),
  );
  app.get("/quiet", () => pageOf(`<link rel="icon" href="/picture.svg"><script src="/own.js"></script>`));
  app.get("/typed", () => pageOf(`<script src="/text.txt"></script><script src="/own.js"></script>`));
  return app;
};

const ran = "globalThis.ran ?? []";

/** Runs in the page: returns whether it can show a picture. */
const shows = (url: string) => `new Promise((resolve) => {
  const image = new Image();
  image.onload = () => resolve(true);
  image.onerror = () => resolve(false);
  image.src = ${JSON.stringify(url)};
})`;

inChromium({
  "a page with the default fields loads without console messages": async ({ serve, visit }) => {
    const { url } = await serve(site());
    const page = await visit(`${url}/quiet`);
    assert.deepEqual(await page.evaluate(ran), ["own"]);
    assert.deepEqual(page.problems, []);
  },

  "over plain HTTP to another host the browser ignores Cross-Origin-Opener-Policy and logs it": async ({
    serve,
    visit,
  }) => {
    const page = await visit(`${(await serve(site())).as("good.example")}/quiet`);
    assert.equal(page.problems.length, 1);
    assert.match(page.problems[0] ?? "", /Cross-Origin-Opener-Policy header has been ignored/);
  },

  "a policy with a nonce allows the script with that nonce, and no other inline script": async ({
    serve,
    visit,
  }) => {
    const { url } = await serve(site({ contentSecurityPolicy: withNonce }));
    const page = await visit(`${url}/scripts`);
    assert.deepEqual(await page.evaluate(ran), ["nonce", "own"]);
    assert.equal(page.problems.filter((line) => line.includes("Content Security Policy")).length > 2, true);
  },

  "each reply has a unique nonce": async ({ serve, visit }) => {
    const { url } = await serve(site({ contentSecurityPolicy: withNonce }));
    const page = await visit(`${url}/scripts`);
    const nonce = `document.querySelectorAll("script")[2].nonce`;
    const first = await page.evaluate<string>(nonce);
    await page.reload();
    assert.match(first, /^[\w+/=-]{22,}$/);
    assert.notEqual(await page.evaluate(nonce), first);
  },

  "a report-only policy blocks no script, and reports violations": async ({ serve, visit }) => {
    const { url } = await serve(site({ contentSecurityPolicy: withNonce, reportOnly: true }));
    const page = await visit(`${url}/scripts`);
    await waitFor(async () => (await page.evaluate<string[]>(ran)).length === 5, { subject: "all scripts" });
    assert.match(page.problems.join(), /report-only/i);
  },

  "a text file is not run as a script unless nosniff is disabled": async ({ serve, visit }) => {
    const guarded = await serve(site({ contentSecurityPolicy: false }));
    const open = await serve(site({ contentSecurityPolicy: false, contentTypeOptions: false }));
    const page = await visit(`${guarded.url}/typed`);
    assert.deepEqual(await page.evaluate(ran), ["own"]);
    assert.match(page.problems.join(), /MIME type/);
    assert.deepEqual(await (await visit(`${open.url}/typed`)).evaluate(ran), ["text", "own"]);
  },

  "over plain HTTP, a page is isolated only if COEP is enabled and its host is local": async ({
    serve,
    visit,
  }) => {
    const [plain, isolated] = [
      await serve(site()),
      await serve(site({ crossOriginEmbedderPolicy: "require-corp" })),
    ];
    const isIsolated = async (url: string) => (await visit(url)).evaluate("crossOriginIsolated");
    assert.equal(await isIsolated(plain.url), false);
    assert.equal(await isIsolated(isolated.url), true);
    assert.equal(await isIsolated(isolated.as("localhost")), true);
    assert.equal(await isIsolated(isolated.as("good.example")), false);
  },

  "an isolated page shows pictures of other origins only if they allow it": async ({ serve, visit }) => {
    const isolated = await serve(
      site({ contentSecurityPolicy: false, crossOriginEmbedderPolicy: "require-corp" }),
    );
    const silent = await serve(site({ crossOriginResourcePolicy: false }));
    const open = await serve(site({ crossOriginResourcePolicy: "cross-origin" }));
    const page = await visit(isolated.url);
    assert.equal(await page.evaluate(shows("/picture.svg")), true);
    assert.equal(await page.evaluate(shows(`${silent.url}/picture.svg`)), false);
    assert.equal(await page.evaluate(shows(`${open.url}/picture.svg`)), true);
  },

  "other origins cannot show pictures by default, and CORS still lets a script read them": async ({
    serve,
    visit,
  }) => {
    const other = await serve(emptyPage());
    const { url } = await serve(site().enableCors([other.url]));
    const page = await visit(other.url);
    assert.equal(await page.evaluate(shows(`${url}/picture.svg`)), false);
    assert.equal((await page.run(fetchInPage, `${url}/picture.svg`)).text, picture);
  },

  "no page is shown in a frame by default, and with SAMEORIGIN only in a frame of the same origin": async ({
    serve,
    visit,
  }) => {
    const isFramed = async (
      options: Partial<SecurityHeadersConfig>,
      isOtherOrigin: boolean,
    ): Promise<boolean> => {
      const app = site({
        ...options,
        contentSecurityPolicy: { "default-src": ["'unsafe-inline'", "'self'"] },
      });
      app.get("/framed", () => pageOf(`<script>parent.postMessage("shown", "*")</script>`));
      const framed = await serve(app);
      const outside = isOtherOrigin ? await serve(emptyPage()) : framed;
      const page = await visit(outside.url);
      return page.evaluate(`new Promise((resolve) => {
        addEventListener("message", () => resolve(true));
        const frame = document.createElement("iframe");
        frame.onload = () => setTimeout(resolve, 0, false);
        frame.src = "${framed.url}/framed";
        document.body.append(frame);
      })`);
    };
    assert.equal(await isFramed({}, true), false);
    assert.equal(await isFramed({}, false), false);
    assert.equal(await isFramed({ frameOptions: "SAMEORIGIN" }, false), true);
    assert.equal(await isFramed({ frameOptions: "SAMEORIGIN" }, true), false);
  },

  "no page may use camera, microphone or location by default": async ({ serve, visit }) => {
    const [guarded, open] = [await serve(site()), await serve(site({ permissionsPolicy: false }))];
    const allowed = async (url: string) =>
      (await visit(url)).evaluate(
        `["camera", "geolocation", "microphone"].filter((name) => document.featurePolicy.allowsFeature(name))`,
      );
    assert.deepEqual(await allowed(guarded.url), []);
    assert.deepEqual(await allowed(open.url), ["camera", "geolocation", "microphone"]);
  },
});
