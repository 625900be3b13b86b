import { App, Response } from "@framework/core";
import { caching } from "@framework/cache";
import { csrf, cspNonce, csrfToken, securityHeaders } from "@framework/security";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";

const secret = "a secret that is long enough for a test";
const contentSecurityPolicy = { "script-src": ["'self'", "'nonce'"] };

/** Creates an app with pages for one visitor; the cache is enabled first or last. */
const makeApp = (cacheFirst: boolean) => {
  const app = new (App.with(caching, csrf, securityHeaders))();
  if (cacheFirst) app.enableCaching();
  app.enableCsrf({ secret }).enableSecurityHeaders({ contentSecurityPolicy });
  if (!cacheFirst) app.enableCaching();
  app.get("/form", { cache: { shared: true } }, (request) => csrfToken(request));
  app.get("/script", { cache: { shared: true } }, (request) =>
    Response.html(cspNonce(request), { headers: { "cache-control": "public, max-age=60" } }),
  );
  return app;
};

test.each([true, false])(
  "no visitor gets another visitor's token or nonce; cache first: %s",
  async (first) => {
    await using client = testClient(makeApp(first));
    for (const path of ["/form", "/script"]) {
      const [one, other] = [await client.get(path), await client.get(path)];
      expect([path, one.text === other.text, other.headers.get("x-cache")]).toEqual([path, false, "MISS"]);
    }
    const form = await client.get("/form");
    expect(form.cookies.get("_csrf")?.value).toBe(form.text);
    const script = await client.get("/script");
    expect(script.headers.get("content-security-policy")).toContain(`'nonce-${script.text}'`);
  },
);
