// oxlint-disable jest/no-standalone-expect -- the assertions run inside the tests that eachClient registers
import { App, HttpError, Response } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { eachClient, socketClient, testClient, type TestReply } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { cspNonce, securityHeaders, type SecurityHeadersConfig } from "./index.ts";

const defaultFields = {
  "content-security-policy":
    "frame-ancestors 'none'; default-src 'self'; base-uri 'none'; form-action 'self'; object-src 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "strict-origin-when-cross-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
};

const names = [...Object.keys(defaultFields), "cross-origin-embedder-policy", "strict-transport-security"];

const security = ({ headers }: Pick<TestReply, "headers">): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? ""]] : [])));

/** Answers preflights before the inner stages, as the CORS feature does. */
const preflights: Feature<{ enablePreflights(): unknown }> = {
  name: "preflights",
  install: (host) => ({
    enablePreflights() {
      return host.http.use("headers", (request, next) =>
        request.method === "OPTIONS" ? Response.noContent() : next(request),
      );
    },
  }),
};

async function* slowly() {
  yield "one";
  yield "two";
}

const makeApp = (config: Partial<SecurityHeadersConfig> = {}) => {
  const app = new (App.with(preflights, securityHeaders))();
  app.enablePreflights();
  app.enableSecurityHeaders(config);
  app.get("/200", () => ({ ok: true }));
  app.get("/async", async () => "later");
  app.get("/204", () => null);
  app.get("/304", () => new Response(null, { status: 304, headers: { etag: '"a"' } }));
  app.get("/stream", () => slowly());
  app.get("/401", () => {
    throw new HttpError(401, "Authentication required");
  });
  app.get("/403", { guards: [() => false] }, () => "never");
  app.get("/500", () => {
    throw new Error("failed");
  });
  app.get("/own", () =>
    Response.html("<p>docs</p>", {
      headers: { "Content-Security-Policy": "default-src 'none'", "X-Frame-Options": "SAMEORIGIN" },
    }),
  );
  return app;
};

eachClient(test, () => makeApp(), {
  "every kind of reply has the fields": async (client) => {
    for (const path of [
      "/200",
      "/async",
      "/204",
      "/304",
      "/stream",
      "/401",
      "/403",
      "/500",
      "/nowhere",
      "/%zz",
    ]) {
      expect([path, security(await client.get(path))]).toEqual([path, defaultFields]);
    }
    expect(security(await client.post("/200"))).toEqual(defaultFields);
    expect(security(await client.head("/200"))).toEqual(defaultFields);
    expect(security(await client.options("/200"))).toEqual(defaultFields);
  },
  "a field that a handler sets is kept, once": async (client) => {
    expect(security(await client.get("/own"))).toEqual({
      ...defaultFields,
      "content-security-policy": "default-src 'none'",
      "x-frame-options": "SAMEORIGIN",
    });
  },
});

test("Strict-Transport-Security is sent only over TLS, to the service or a trusted proxy", async () => {
  const app = makeApp();
  const get = async (url: string) =>
    (await app.fetch(new Request(url))).headers.get("strict-transport-security");
  expect([await get("http://host.test/200"), await get("https://host.test/nowhere")]).toEqual([
    null,
    "max-age=31536000",
  ]);
});

for (const [trustedProxies, expected] of [
  [["127.0.0.0/8"], "max-age=31536000"],
  [[], null],
] as const) {
  test(`X-Forwarded-Proto of ${expected === null ? "an untrusted" : "a trusted"} peer is ${expected === null ? "ignored" : "honoured"}`, async () => {
    await using client = socketClient(makeApp(), { trustedProxies });
    const headers = { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https" };
    expect((await client.get("/200", { headers })).headers.get("strict-transport-security")).toBe(expected);
  });
}

test("each field can be omitted or changed", async () => {
  await using none = testClient(
    makeApp({
      contentSecurityPolicy: false,
      strictTransportSecurity: false,
      contentTypeOptions: false,
      frameOptions: false,
      referrerPolicy: false,
      crossOriginOpenerPolicy: false,
      crossOriginResourcePolicy: false,
      permissionsPolicy: false,
    }),
  );
  expect(security(await none.get("/200"))).toEqual({});

  const app = makeApp({
    contentSecurityPolicy: { "img-src": ["*"], "upgrade-insecure-requests": [] },
    strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: true, preload: true },
    frameOptions: "SAMEORIGIN",
    referrerPolicy: "no-referrer",
    crossOriginOpenerPolicy: "unsafe-none",
    crossOriginEmbedderPolicy: "require-corp",
    crossOriginResourcePolicy: "cross-origin",
    permissionsPolicy: { fullscreen: ["self", "https://a.example"], autoplay: ["*"], "ch-ua-wow64": [] },
  });
  expect(security(await app.fetch(new Request("https://host.test/200")))).toEqual({
    "content-security-policy": "frame-ancestors 'self'; img-src *; upgrade-insecure-requests",
    "strict-transport-security": "max-age=31536000; includeSubDomains; preload",
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "unsafe-none",
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-resource-policy": "cross-origin",
    "permissions-policy": 'fullscreen=(self "https://a.example"), autoplay=*, ch-ua-wow64=()',
  });
});

test("reportOnly sends the policy as report-only", async () => {
  await using client = testClient(makeApp({ reportOnly: true }));
  const { headers } = await client.get("/200");
  expect(headers.get("content-security-policy-report-only")).toBe(defaultFields["content-security-policy"]);
  expect(headers.has("content-security-policy")).toBe(false);
});

test("a reply whose handler calls cspNonce has a new nonce in its policy; others have none", async () => {
  const app = makeApp({
    contentSecurityPolicy: { "script-src": ["'nonce'"], "style-src": ["'self'", "'nonce'"] },
  });
  app.get("/page", (request) => `${cspNonce(request)} ${cspNonce(request)}`);
  await using client = testClient(app);
  const policyOf = async (path: string) => {
    const reply = await client.get(path);
    return { policy: reply.headers.get("content-security-policy"), text: reply.text };
  };
  expect((await policyOf("/200")).policy).toBe("frame-ancestors 'none'; script-src 'none'; style-src 'self'");
  const seen = new Set<string>();
  for (let count = 0; count < 20; count++) {
    const { policy, text } = await policyOf("/page");
    const [nonce = "", again] = text.split(" ");
    expect(nonce).toMatch(/^[\w+/]{22}==$/);
    expect(again).toBe(nonce);
    expect(policy).toBe(
      `frame-ancestors 'none'; script-src 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}'`,
    );
    seen.add(nonce);
  }
  expect(seen.size).toBe(20);
});

test("without a nonce, 'unsafe-inline' is omitted from directives with 'nonce', and kept in the others", async () => {
  const inline = ["'self'", "'unsafe-inline'"];
  const app = makeApp({
    contentSecurityPolicy: {
      "script-src": [...inline, "'nonce'"],
      "script-src-elem": ["'nonce'", "'Unsafe-Inline'"],
      "style-src": inline,
    },
  });
  app.get("/page", (request) => cspNonce(request));
  await using client = testClient(app);
  const policyOf = ({ headers }: TestReply) => headers.get("content-security-policy");
  expect(policyOf(await client.get("/200"))).toBe(
    "frame-ancestors 'none'; script-src 'self'; script-src-elem 'none'; style-src 'self' 'unsafe-inline'",
  );
  const page = await client.get("/page");
  expect(policyOf(page)).toBe(
    `frame-ancestors 'none'; script-src 'self' 'unsafe-inline' 'nonce-${page.text}'; ` +
      `script-src-elem 'nonce-${page.text}' 'Unsafe-Inline'; style-src 'self' 'unsafe-inline'`,
  );
});

test.each([
  [{ "script-source": ["'self'"] }, "script-source is not a directive; did you mean script-src"],
  [{ "script-src": ["self"] }, "keywords need single quotes; write 'self'"],
  [{ "script-src": ["nonce"] }, "keywords need single quotes; write 'nonce'"],
  [{ "script-src": ["https://a.example; object-src *"] }, "contains a space, a comma or a semicolon"],
  [{ "script-src": ["a,b"] }, "contains a space, a comma or a semicolon"],
  [{ "script-src": ["x\r\nSet-Cookie:a=b"] }, "contains a space"],
  [{ "script-src": [""] }, "is empty"],
  [{ "img-src": ["'none'", "https://a.example"] }, "'none' must be the only source"],
  [{ "img-src": ["'nonce'"] }, "img-src does not support a nonce"],
  [{ "script-src": ["'nonce-abc'"] }, "a fixed nonce gives no protection"],
  [{ "script-src": ["'NONCE-abc'"] }, "a fixed nonce gives no protection"],
  [{ "script-src": ["'Nonce'"] }, "write 'nonce' in lower case"],
  [{ "script-src": ["Self"] }, "keywords need single quotes; write 'Self'"],
  [{ "script-src": ["'self"] }, "'self has only one of its single quotes"],
  [{ "script-src": ["self'"] }, "self' has only one of its single quotes"],
  [{ "img-src": ["'None'", "https://a.example"] }, "'none' must be the only source"],
  [{ "require-trusted-types-for": ["script"] }, "keywords need single quotes; write 'script'"],
  [{ "trusted-types": ["a", "allow-duplicates"] }, "keywords need single quotes; write 'allow-duplicates'"],
])("the policy %j is refused at start", async (contentSecurityPolicy, message) => {
  await expect(makeApp({ contentSecurityPolicy }).start()).rejects.toThrow(message);
});

test("a report group or address may look like a keyword", async () => {
  await using client = testClient(
    makeApp({ contentSecurityPolicy: { "report-to": ["None"], "report-uri": ["/reports'"] } }),
  );
  expect((await client.get("/200")).headers.get("content-security-policy")).toBe(
    "frame-ancestors 'none'; report-to None; report-uri /reports'",
  );
});

test("reportOnly without a policy, which reports nothing, is refused at start", async () => {
  const app = makeApp({ contentSecurityPolicy: false, reportOnly: true });
  await expect(app.start()).rejects.toThrow("false leaves nothing to report");
});

test("all other problems are reported together, at start", async () => {
  const app = makeApp({
    contentSecurityPolicy: {},
    strictTransportSecurity: { maxAge: 60, preload: true },
    frameOptions: "ALLOW" as never,
    referrerPolicy: "none" as never,
    crossOriginOpenerPolicy: true as never,
    permissionsPolicy: { camera: ["me"] },
  });
  await expect(app.start()).rejects.toThrow(
    /contentSecurityPolicy[^]*strictTransportSecurity[^]*frameOptions[^]*referrerPolicy[^]*crossOriginOpenerPolicy[^]*permissionsPolicy/,
  );
});

test.each(["fast", "node"] as const)(
  "a request refused by the %s transport gets the fields",
  async (transport) => {
    await using client = socketClient(new (App.with(securityHeaders))().enableSecurityHeaders(), {
      transport,
    });
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`x-${index}`, "1"]));
    const reply = await client.get("/", { headers: many });
    expect([reply.status, security(reply)]).toEqual([431, defaultFields]);
  },
);
