import assert from "node:assert/strict";
import { ApiKeyAuth } from "@framework/auth";
import { bodyLimit } from "@framework/body-limit";
import { App, Response } from "@framework/core";
import { cors, type CorsConfig } from "@framework/cors";
import { rateLimit } from "@framework/rate-limit";
import { requestId } from "@framework/request-id";
import { waitFor } from "@framework/testing";
import { fetchInPage, emptyPage } from "./pages.test-kit.ts";
import { summarize, recorder } from "./recorder.test-kit.ts";
import { inChromium, type TestContext } from "./in-chromium.test-kit.ts";

const keyHeader = { "x-api-key": "k" };

/** An API for pages of the listed origin; every route except `/open` requires a key, and `/once` allows one request. */
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
const listedPage = async ({ serve, visit }: TestContext, options?: Partial<CorsConfig>) => {
  const { url: origin } = await serve(emptyPage());
  const app = booksApi(origin, options);
  const api = await serve(app);
  return { app, api, page: await visit(origin) };
};

inChromium({
  "a page of a listed origin reads a reply and its exposed header fields, and no other fields": async (
    context,
  ) => {
    const { api, page } = await listedPage(context);
    const { status, headers } = await page.run(fetchInPage, `${api.url}/open`);
    assert.deepEqual([status, headers["x-kind"], headers["x-secret"]], [200, "book", undefined]);
    assert.match(headers["x-request-id"] ?? "", /^[\da-f-]{36}$/);
  },

  "a page from another origin reads nothing, although the reply was sent": async ({ serve, visit }) => {
    const [listed, other] = [await serve(emptyPage()), await serve(emptyPage())];
    const app = booksApi(listed.url);
    const api = await serve(app);
    for (const url of [other.url, listed.as("localhost")]) {
      const page = await visit(url);
      const { text } = await page.run(fetchInPage, `${api.url}/open`);
      assert.equal(text, "TypeError: Failed to fetch");
      assert.match(page.problems.join(), /blocked by CORS policy|ERR_FAILED/);
    }
    assert.deepEqual(summarize(app.received("/open")), ["GET 200", "GET 200"]);
  },

  "a PUT from another origin fails at its preflight": async ({ serve, visit }) => {
    const [listed, other] = [await serve(emptyPage()), await serve(emptyPage())];
    const app = booksApi(listed.url);
    const api = await serve(app);
    const page = await visit(other.url);
    const { status } = await page.run(fetchInPage, `${api.url}/books/1`, {
      method: "PUT",
      headers: keyHeader,
    });
    assert.equal(status, 0);
    assert.deepEqual(summarize(app.received("/books/1")), ["OPTIONS 204"]);
  },

  "a request with an unlisted field fails at its preflight": async (context) => {
    const { app, api, page } = await listedPage(context);
    const headers = { ...keyHeader, "x-more": "1" };
    assert.equal((await page.run(fetchInPage, `${api.url}/books/1`, { method: "PUT", headers })).status, 0);
    assert.deepEqual(summarize(app.received("/books/1")), ["OPTIONS 204"]);
  },

  "where credentials are allowed, cookies are sent only if the page requests it": async (context) => {
    const { api, page } = await listedPage(context);
    await page.evaluate(`document.cookie = "visit=7; path=/"`);
    const cookieWith = async (credentials: "include" | "same-origin") =>
      (await page.run(fetchInPage, `${api.url}/open`, { credentials })).text;
    assert.deepEqual(await cookieWith("same-origin"), '{"cookie":"none"}');
    assert.deepEqual(await cookieWith("include"), '{"cookie":"7"}');
  },

  "a reply to a request with credentials is unreadable where they are not allowed": async (context) => {
    const { api, page } = await listedPage(context, { credentials: false });
    assert.equal((await page.run(fetchInPage, `${api.url}/open`)).status, 200);
    assert.equal((await page.run(fetchInPage, `${api.url}/open`, { credentials: "include" })).status, 0);
  },

  "a preflight needs no key and is cached: the second PUT sends no preflight": async (context) => {
    const { app, api, page } = await listedPage(context);
    const put = (body: string) =>
      page.run(fetchInPage, `${api.url}/books/1`, { method: "PUT", headers: keyHeader, body });
    assert.deepEqual([(await put("a")).text, (await put("b")).text], ['{"put":"a"}', '{"put":"b"}']);
    assert.deepEqual(summarize(app.received("/books/1")), ["OPTIONS 204", "PUT 200", "PUT 200"]);
    assert.equal(app.received("/books/1")[0]?.headers["x-api-key"], undefined);
  },

  "with maxAge 0 every PUT sends a preflight": async (context) => {
    const { app, api, page } = await listedPage(context, { maxAge: 0 });
    const put = () => page.run(fetchInPage, `${api.url}/books/1`, { method: "PUT", headers: keyHeader });
    await put();
    await put();
    assert.deepEqual(summarize(app.received("/books/1")), [
      "OPTIONS 204",
      "PUT 200",
      "OPTIONS 204",
      "PUT 200",
    ]);
  },

  "a preflight is sent again after maxAge": async (context) => {
    const { app, api, page } = await listedPage(context, { maxAge: 1 });
    const preflights = async () => {
      await page.run(fetchInPage, `${api.url}/books/1`, { method: "PUT", headers: keyHeader });
      return app.received("/books/1").filter(({ method }) => method === "OPTIONS").length;
    };
    assert.equal(await preflights(), 1);
    await waitFor(async () => (await preflights()) === 2, { subject: "the second preflight" });
  },

  "an exhausted rate limit allows preflights, and the page reads the 429": async (context) => {
    const { app, api, page } = await listedPage(context, { maxAge: 0 });
    const put = () => page.run(fetchInPage, `${api.url}/once`, { method: "PUT", headers: keyHeader });
    assert.equal((await put()).status, 200);
    const { status, headers } = await put();
    assert.deepEqual([status, Number(headers["retry-after"]) > 0], [429, true]);
    assert.deepEqual(summarize(app.received("/once")), ["OPTIONS 204", "PUT 200", "OPTIONS 204", "PUT 429"]);
  },

  "a page reads errors: 401, 404, 405, 413 and 500, each with its request id": async (context) => {
    const { api, page } = await listedPage(context);
    const large = "x".repeat(1001);
    const replies = [
      await page.run(fetchInPage, `${api.url}/books/1`, { method: "PUT" }),
      await page.run(fetchInPage, `${api.url}/nowhere`, { headers: keyHeader }),
      await page.run(fetchInPage, `${api.url}/books/1`, { method: "DELETE", headers: keyHeader }),
      await page.run(fetchInPage, `${api.url}/books/1`, { method: "PUT", headers: keyHeader, body: large }),
      await page.run(fetchInPage, `${api.url}/fails`, { headers: keyHeader }),
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
