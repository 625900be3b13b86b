// oxlint-disable jest/no-standalone-expect -- the assertions run inside the tests that eachClient registers
import { createHash } from "node:crypto";
import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { eachClient, testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { openapi } from "../openapi.ts";

const DocumentedApp = App.with(openapi);

const makeApp = () => {
  const app = new DocumentedApp().enableOpenapi({ title: `Books & "more" <b>` });
  app.get("/books", () => []);
  return app;
};

/** Returns the values of an attribute in a page. */
const valuesOf = (html: string, attribute: string): string[] =>
  Array.from(html.matchAll(new RegExp(` ${attribute}="([^"]*)"`, "g")), ([, value = ""]) => value);

const addressesOf = (html: string): string[] =>
  ["href", "src", "data-document"]
    .flatMap((attribute) => valuesOf(html, attribute))
    .filter((url) => !url.startsWith("data:"));

eachClient(test, makeApp, {
  "the document has an ETag, and a request with it in If-None-Match gets 304": async (client) => {
    const first = await client.get("/openapi.json");
    expect([first.status, first.headers.get("content-type"), first.headers.get("cache-control")]).toEqual([
      200,
      "application/json",
      "no-cache",
    ]);
    const etag = first.headers.get("etag") ?? "";
    const again = await client.get("/openapi.json", { headers: { "if-none-match": etag } });
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
    const head = await client.head("/openapi.json");
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(first.bytes.byteLength)]);
  },
  "the pages are escaped HTML, and the app serves every URL in them": async (client) => {
    for (const path of ["/docs", "/redoc"]) {
      const page = await client.get(path);
      expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      expect(page.text).toContain("<title>Books &#38; &#34;more&#34; &#60;b&#62;</title>");
      const addresses = addressesOf(page.text);
      expect(addresses).toContain("./openapi.json");
      for (const address of addresses) {
        const { pathname } = new URL(address, `http://test.local${path}`);
        expect([address, address.startsWith("./"), (await client.get(pathname)).status]).toEqual([
          address,
          true,
          200,
        ]);
      }
    }
  },
  "files of a page are immutable for caches": async (client) => {
    const reply = await client.get("/docs/swagger-ui-5.35.0/swagger-ui-bundle.js");
    expect(reply.headers.get("cache-control")).toBe("max-age=31536000, immutable");
    expect(reply.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
    expect(reply.bytes.byteLength).toBeGreaterThan(1_000_000);
    const etag = reply.headers.get("etag") ?? "";
    const again = await client.get("/docs/swagger-ui-5.35.0/swagger-ui-bundle.js", {
      headers: { "if-none-match": etag },
    });
    expect(again.status).toBe(304);
  },
});

test.each(["/docs", "/redoc"])(
  "the Content-Security-Policy of %s allows scripts of the app, and the inline script by its hash",
  async (path) => {
    await using client = testClient(makeApp());
    const { text, headers } = await client.get(path);
    const [, script = ""] = /<script>([^]*?)<\/script>/.exec(text) ?? [];
    const hash = createHash("sha256").update(script).digest("base64");
    const policy = headers.get("content-security-policy")?.split("; ");
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        `script-src 'self' 'sha256-${hash}'`,
        "connect-src 'self'",
      ]),
    );
    expect(policy).toEqual(
      expect.arrayContaining(["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]),
    );
  },
);

test("a page may call the configured servers", async () => {
  const servers = [
    { url: "/" },
    { url: "https://api.example/v1" },
    { url: "https://api.example/v2" },
    { url: "//same-scheme.example:8443/v1" },
  ];
  await using client = testClient(new DocumentedApp().enableOpenapi({ servers }));
  const policy = (await client.get("/docs")).headers.get("content-security-policy");
  expect(policy).toContain("connect-src 'self' https://api.example same-scheme.example:8443;");
});

test("Redoc is served without its logo from another host", async () => {
  await using client = testClient(makeApp());
  const { text } = await client.get("/redoc/redoc-2.5.4/redoc.standalone.js");
  expect(text).not.toContain("cdn.redoc.ly");
  expect(text).toContain("data:image/gif;base64,R0lGODlhAQABAAAAACw=");
});

test("paths are configurable, and URLs are relative to the page", async () => {
  const app = new DocumentedApp().enableOpenapi({
    path: "/meta/api.json",
    docsPath: "/meta/help/docs",
    redocPath: false,
  });
  await using client = testClient(app);
  expect(addressesOf((await client.get("/meta/help/docs")).text)).toEqual([
    "./docs/swagger-ui-5.35.0/favicon-32x32.png",
    "./docs/swagger-ui-5.35.0/swagger-ui.css",
    "./docs/swagger-ui-5.35.0/swagger-ui-bundle.js",
    "../api.json",
  ]);
  const statuses = ["/meta/api.json", "/openapi.json", "/docs", "/redoc"].map(
    async (path) => (await client.get(path)).status,
  );
  expect(await Promise.all(statuses)).toEqual([200, 404, 404, 404]);
});

test("configured guards apply to the document, the pages and their files", async () => {
  await using client = testClient(new DocumentedApp().enableOpenapi({ guards: [() => false] }));
  for (const path of ["/openapi.json", "/docs", "/redoc", "/docs/swagger-ui-5.35.0/swagger-ui.css"])
    expect([path, (await client.get(path)).status]).toEqual([path, 403]);
});

test("the document, the pages and their files are exempt from limits", async () => {
  const seen = new Set<unknown>();
  const spy: Feature = {
    name: "spy",
    install: (host) => {
      host.http.use("rate-limit", (request, next) => {
        seen.add(request.endpoint?.exempt.join());
        return next(request);
      });
      return {};
    },
  };
  await using client = testClient(new (App.with(openapi, spy))().enableOpenapi());
  for (const path of ["/openapi.json", "/docs", "/redoc", "/redoc/redoc-2.5.4/redoc.standalone.js"])
    await client.get(path);
  expect([...seen]).toEqual(["limits"]);
});

test.each([
  [{ path: "openapi.json" }, "OpenapiConfig.path must be a path"],
  [{ docsPath: "/docs/" }, "OpenapiConfig.docsPath must be a path"],
  [{ docsPath: "/../docs" }, "OpenapiConfig.docsPath must be a path"],
  [{ redocPath: "/{x}" }, "OpenapiConfig.redocPath must be a path"],
  [{ title: "" }, "OpenapiConfig.title must be a non-empty string"],
  [{ servers: [{ url: "https://api.example/" }] }, "OpenapiConfig.servers must be a list of servers"],
  [{ servers: [null] }, "OpenapiConfig.servers must be a list of servers"],
  [{ tags: [{ name: 1 }] }, "OpenapiConfig.tags must be a list of tags"],
  [
    { license: { name: "MIT", identifier: "MIT", url: "https://mit.example" } },
    "OpenapiConfig.license must be",
  ],
  [{ license: { name: "MIT", url: "nowhere" } }, "OpenapiConfig.license must be"],
  [{ description: 1 }, "OpenapiConfig.description must be a string"],
  [{ guards: ["admin"] }, "OpenapiConfig.guards must be a list of guards"],
  [{ titel: "x" }, 'OpenapiConfig has no field "titel"; did you mean "title"?'],
])("%j is refused at start", async (config, message) => {
  await expect(new DocumentedApp().enableOpenapi(config as object).start()).rejects.toThrow(message);
});

test("equal paths are refused at start", async () => {
  await expect(new DocumentedApp().enableOpenapi({ docsPath: "/redoc" }).start()).rejects.toThrow("/redoc");
});
