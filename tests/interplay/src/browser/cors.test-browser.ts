import assert from "node:assert/strict";
import { ApiKeyAuth } from "@framework/auth";
import { bodyLimit } from "@framework/body-limit";
import { App, Response } from "@framework/core";
import { cors, type CorsConfig } from "@framework/cors";
import { rateLimit } from "@framework/rate-limit";
import { requestId } from "@framework/request-id";
import { waitFor } from "@framework/testing";
import { ask, emptyPage } from "./pages.test-kit.ts";
import { inShort, recorder } from "./recorder.test-kit.ts";
import { inChromium, type Scene } from "./scene.test-kit.ts";

const key = { "x-api-key": "k" };

/** Pages of the listed origin may call it; each route but `/open` requires a key, and `/once` may be called once. */
const booksApi = (origin: string, options: Partial<CorsConfig> = {}) => {
  const app = new (App.with(recorder, cors, requestId, rateLimit, bodyLimit))()
    .enableCors([origin], {
      credentials: true,
      headers: ["Content-Type", "X-Api-Key"],
      exposeHeaders: ["X-Request-ID", "X-Kind", "Retry-After"],
      ...options,
    })
    .enableRequestId()
    .enableRateLimit({ maxRequests: 1000 })
    .enableBodyLimit(1000)
    .use(new ApiKeyAuth({ k: "ada" }).skipPath("/open"));
  app.get("/open", ({ cookies }) =>
    Response.json(
      { cookie: cookies.get("visit", "none") },
      { headers: { "x-kind": "book", "x-secret": "s" } },
    ),
  );
  app.put("/books/1", async (request) => ({ put: await request.text() }));
  app.put("/once", { rateLimit: { maxRequests: 1 } }, () => "done");
  app.get("/fails", () => {
    throw new Error("broken");
  });
  return app;
};

/** A page, and the API that lists its origin. */
const listedPage = async ({ serve, visit }: Scene, options?: Partial<CorsConfig>) => {
  const { url: origin } = await serve(emptyPage());
  const app = booksApi(origin, options);
  const api = await serve(app);
  return { app, api, page: await visit(origin) };
};

inChromium({
  "a page of a listed origin reads a reply and the exposed fields, and no others": async (scene) => {
    const { api, page } = await listedPage(scene);
    const { status, headers } = await page.run(ask, `${api.url}/open`);
    assert.deepEqual([status, headers["x-kind"], headers["x-secret"]], [200, "book", undefined]);
    assert.match(headers["x-request-id"] ?? "", /^[\da-f-]{36}$/);
  },

  "a page of another origin reads nothing, although the reply was sent": async ({ serve, visit }) => {
    const [listed, other] = [await serve(emptyPage()), await serve(emptyPage())];
    const app = booksApi(listed.url);
    const api = await serve(app);
    for (const url of [other.url, listed.as("localhost")]) {
      const page = await visit(url);
      const { text } = await page.run(ask, `${api.url}/open`);
      assert.equal(text, "TypeError: Failed to fetch");
      assert.match(page.complaints.join(), /blocked by CORS policy|ERR_FAILED/);
    }
    assert.deepEqual(inShort(app.arrived("/open")), ["GET 200", "GET 200"]);
  },

  "a PUT from another origin fails at its preflight": async ({ serve, visit }) => {
    const [listed, other] = [await serve(emptyPage()), await serve(emptyPage())];
    const app = booksApi(listed.url);
    const api = await serve(app);
    const page = await visit(other.url);
    const { status } = await page.run(ask, `${api.url}/books/1`, { method: "PUT", headers: key });
    assert.equal(status, 0);
    assert.deepEqual(inShort(app.arrived("/books/1")), ["OPTIONS 204"]);
  },

  "an unlisted field fails at its preflight": async (scene) => {
    const { app, api, page } = await listedPage(scene);
    const headers = { ...key, "x-more": "1" };
    assert.equal((await page.run(ask, `${api.url}/books/1`, { method: "PUT", headers })).status, 0);
    assert.deepEqual(inShort(app.arrived("/books/1")), ["OPTIONS 204"]);
  },

  "cookies are sent only where credentials are allowed and the page requests it": async (scene) => {
    const { api, page } = await listedPage(scene);
    await page.evaluate(`document.cookie = "visit=7; path=/"`);
    const cookieWith = async (credentials: "include" | "same-origin") =>
      (await page.run(ask, `${api.url}/open`, { credentials })).text;
    assert.deepEqual(await cookieWith("same-origin"), '{"cookie":"none"}');
    assert.deepEqual(await cookieWith("include"), '{"cookie":"7"}');
  },

  "a reply to a request with credentials is unreadable where they are not allowed": async (scene) => {
    const { api, page } = await listedPage(scene, { credentials: false });
    assert.equal((await page.run(ask, `${api.url}/open`)).status, 200);
    assert.equal((await page.run(ask, `${api.url}/open`, { credentials: "include" })).status, 0);
  },

  "a preflight needs no key and is cached: the second PUT sends none": async (scene) => {
    const { app, api, page } = await listedPage(scene);
    const put = (body: string) => page.run(ask, `${api.url}/books/1`, { method: "PUT", headers: key, body });
    assert.deepEqual([(await put("a")).text, (await put("b")).text], ['{"put":"a"}', '{"put":"b"}']);
    assert.deepEqual(inShort(app.arrived("/books/1")), ["OPTIONS 204", "PUT 200", "PUT 200"]);
    assert.equal(app.arrived("/books/1")[0]?.headers["x-api-key"], undefined);
  },

  "with maxAge 0 every PUT sends its preflight": async (scene) => {
    const { app, api, page } = await listedPage(scene, { maxAge: 0 });
    const put = () => page.run(ask, `${api.url}/books/1`, { method: "PUT", headers: key });
    await put();
    await put();
    assert.deepEqual(inShort(app.arrived("/books/1")), ["OPTIONS 204", "PUT 200", "OPTIONS 204", "PUT 200"]);
  },

  "a preflight is sent again after maxAge": async (scene) => {
    const { app, api, page } = await listedPage(scene, { maxAge: 1 });
    const preflights = async () => {
      await page.run(ask, `${api.url}/books/1`, { method: "PUT", headers: key });
      return app.arrived("/books/1").filter(({ method }) => method === "OPTIONS").length;
    };
    assert.equal(await preflights(), 1);
    await waitFor(async () => (await preflights()) === 2, { what: "the second preflight" });
  },

  "an exhausted rate limit allows preflights, and the page reads the 429": async (scene) => {
    const { app, api, page } = await listedPage(scene, { maxAge: 0 });
    const put = () => page.run(ask, `${api.url}/once`, { method: "PUT", headers: key });
    assert.equal((await put()).status, 200);
    const { status, headers } = await put();
    assert.deepEqual([status, Number(headers["retry-after"]) > 0], [429, true]);
    assert.deepEqual(inShort(app.arrived("/once")), ["OPTIONS 204", "PUT 200", "OPTIONS 204", "PUT 429"]);
  },

  "a page reads errors: 401, 404, 405, 413 and 500, each with its request id": async (scene) => {
    const { api, page } = await listedPage(scene);
    const large = "x".repeat(1001);
    const replies = [
      await page.run(ask, `${api.url}/books/1`, { method: "PUT" }),
      await page.run(ask, `${api.url}/nowhere`, { headers: key }),
      await page.run(ask, `${api.url}/books/1`, { method: "DELETE", headers: key }),
      await page.run(ask, `${api.url}/books/1`, { method: "PUT", headers: key, body: large }),
      await page.run(ask, `${api.url}/fails`, { headers: key }),
    ];
    const statuses = [401, 404, 405, 413, 500];
    assert.deepEqual(
      replies.map(({ status }) => status),
      statuses,
    );
    assert.deepEqual(
      replies.map(({ text }) => (JSON.parse(text) as { status: number }).status),
      statuses,
    );
    for (const { headers } of replies) assert.ok(headers["x-request-id"]);
  },
});
