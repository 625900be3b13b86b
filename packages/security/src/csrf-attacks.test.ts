import { App } from "@framework/core";
import type { Json } from "@framework/core/feature";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { csrfTokens } from "./csrf-tokens.ts";
import { mask, unmask } from "./token-mask.ts";
import { csrf } from "./index.ts";

const secret = "0123456789abcdef0123456789abcdef";
const host = "http://host.test";

/** An app that counts the requests that reach its handler. */
const makeApp = () => {
  const app = new (App.with(csrf))().enableCsrf({ secret, trustedOrigins: ["https://admin.example"] });
  let changes = 0;
  app.get("/", () => "page");
  app.route("/change", { methods: ["POST", "PUT", "PATCH", "DELETE"] }, (): Json => ++changes);
  return { app, changes: () => changes };
};

const issueToken = async (app: { fetch: App["fetch"] }, session: string): Promise<string> => {
  const reply = await app.fetch(new Request(`${host}/`, { headers: { cookie: `session_id=${session}` } }));
  return /_csrf=([^;]+)/.exec(reply.headers.get("set-cookie") ?? "")?.[1] ?? "";
};

/** Origin fields as browsers or attackers send them, and whether a request with a valid token passes. */
const origins: readonly (readonly [string, Record<string, string>, boolean])[] = [
  ["the same origin", { "sec-fetch-site": "same-origin", origin: host }, true],
  [
    "the same origin behind a proxy that renames the host",
    { "sec-fetch-site": "same-origin", origin: "https://shop.example" },
    true,
  ],
  ["the user", { "sec-fetch-site": "none" }, true],
  ["a trusted origin", { "sec-fetch-site": "cross-site", origin: "https://admin.example" }, true],
  ["an old browser on a page of a trusted origin", { referer: "https://admin.example/page" }, true],
  ["an old browser with Origin", { origin: host }, true],
  ["an old browser behind a TLS proxy", { origin: "https://host.test" }, true],
  ["an old browser with Referer", { referer: `${host}/page?x=1` }, true],
  ["no browser", {}, true],
  ["another site", { "sec-fetch-site": "cross-site", origin: "https://evil.example" }, false],
  ["another site without Origin", { "sec-fetch-site": "cross-site" }, false],
  ["a subdomain", { "sec-fetch-site": "same-site", origin: "http://evil.host.test" }, false],
  [
    "a subdomain of a trusted origin",
    { "sec-fetch-site": "cross-site", origin: "https://x.admin.example" },
    false,
  ],
  [
    "the trusted origin without TLS",
    { "sec-fetch-site": "cross-site", origin: "http://admin.example" },
    false,
  ],
  ["a Sec-Fetch-Site that no browser sends", { "sec-fetch-site": "same-origin, cross-site" }, false],
  ["an old browser on a page of another site", { origin: "https://evil.example" }, false],
  ["an old browser on a page of another port", { origin: "http://host.test:8080" }, false],
  ["a host name with the same prefix", { origin: "http://host.test.evil.example" }, false],
  ["an old browser with an Origin that has a user part", { origin: "http://host.test@evil.example" }, false],
  ["a sandboxed page", { origin: "null" }, false],
  ["a new browser on a sandboxed page", { "sec-fetch-site": "cross-site", origin: "null" }, false],
  ["another site's Referer", { referer: "https://evil.example/http://host.test/" }, false],
  ["a Referer without an origin", { referer: "about:blank" }, false],
];

const methods = ["POST", "PUT", "PATCH", "DELETE"] as const;

for (const [name, headers, mayPass] of origins) {
  test(`from ${name}: requests with a valid token ${mayPass ? "pass" : "are refused"}, all others are refused`, async () => {
    const { app, changes } = makeApp();
    const good = await issueToken(app, "ada");
    const other = await issueToken(app, "eve");
    const [seed = "", time = "", mark = "", signature = ""] = unmask(good).split(".");
    const forged = mask(
      `${seed}.${time}.${mark}.${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`,
    );
    const future = mask(`${seed}.zzzzzzzzz.${mark}.${signature}`);
    /** Tokens of the cookie and of the request. */
    const tokens: readonly (readonly [string | null, string | null, boolean])[] = [
      [good, good, true],
      [good, null, false],
      [null, good, false],
      [good, "", false],
      [good, other, false],
      [other, other, false], // set by a sibling domain: signed, but for another login
      [other, good, false],
      [forged, forged, false],
      ["x", "x", false],
      [`${good}x`, `${good}x`, false],
      [future, future, false],
      [unmask(good), unmask(good), false],
    ];
    await using client = testClient(app);
    let expected = 0;
    for (const method of methods) {
      for (const [inCookie, inRequest, isGood] of tokens) {
        const reply = await client.request(method, "/change", {
          headers: {
            ...headers,
            host: "host.test",
            cookie: `session_id=ada${inCookie === null ? "" : `; _csrf=${inCookie}`}`,
            ...(inRequest === null ? {} : { "x-csrf-token": inRequest }),
          },
        });
        const passes = mayPass && isGood;
        if (passes) expected++;
        expect([method, inCookie, inRequest, reply.status]).toEqual([
          method,
          inCookie,
          inRequest,
          passes ? 200 : 403,
        ]);
      }
    }
    expect(changes()).toBe(expected);
  });
}

test("no content type and no method override bypasses the check", async () => {
  const { app, changes } = makeApp();
  await using client = testClient(app);
  for (const type of [
    "text/plain",
    "application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/csp-report",
    "",
  ]) {
    const headers = { cookie: "session_id=ada", ...(type === "" ? {} : { "content-type": type }) };
    const body = type.startsWith("multipart") ? "--x--\r\n" : "{}";
    expect([type, (await client.post("/change", { headers, body })).status]).toEqual([type, 403]);
  }
  for (const override of ["GET", "HEAD", "OPTIONS"]) {
    const headers = {
      cookie: "session_id=ada",
      "x-http-method-override": override,
      "x-method-override": override,
    };
    expect((await client.post("/change", { headers, query: { _method: override } })).status).toBe(403);
    expect((await client.post("/change", { headers, form: { _method: override } })).status).toBe(403);
  }
  for (const method of ["GET", "HEAD"]) {
    const headers = { "x-http-method-override": "POST", cookie: "session_id=ada" };
    expect((await client.request(method, "/change", { headers })).status).toBe(405);
  }
  expect(changes()).toBe(0);
});

test("a token in the query, or in another field, is not accepted", async () => {
  const { app, changes } = makeApp();
  const token = await issueToken(app, "ada");
  await using client = testClient(app);
  const headers = { cookie: `session_id=ada; _csrf=${token}` };
  await client.post("/change", { headers, query: { _csrf: token } });
  await client.post("/change", { headers, json: { _csrf: token } });
  await client.post("/change", { headers, form: { csrf: token } });
  expect(changes()).toBe(0);
});

test.each([
  [{ authorization: "Bearer abc" }, 200],
  [{ authorization: "ApiKey abc" }, 200],
  [{ authorization: "Bearer abc", cookie: "session_id=ada" }, 403],
  [{ authorization: "Basic YTpi" }, 403],
  [{ authorization: "  basic YTpi" }, 403],
  [{ authorization: "Negotiate abc" }, 403],
  [{ authorization: "Digest username=a" }, 403],
  [{ "x-api-key": "abc" }, 403],
])(
  "a client that sends %j gets %i: only credentials that browsers never send automatically replace a token",
  async (headers, status) => {
    const { app } = makeApp();
    await using client = testClient(app);
    expect((await client.post("/change", { headers })).status).toBe(status);
  },
);

test("an attacker's own token does not match a visitor's cookie; an earlier token of the same seed does", async () => {
  const { app, changes } = makeApp();
  const tokens = csrfTokens(secret, 86_400);
  const anonymous = { session: null, caller: null };
  const [visitor, attacker] = [tokens.issue(anonymous), tokens.issue(anonymous)];
  const older = csrfTokens(secret, 86_400, () => Date.now() - 50_000_000);
  const earlier = older.issue(anonymous, tokens.seedOf(visitor, null) ?? "");
  await using client = testClient(app);
  const post = (token: string) =>
    client.post("/change", { headers: { cookie: `_csrf=${visitor}`, "x-csrf-token": token } });
  expect([(await post(attacker)).status, (await post(earlier)).status, changes()]).toEqual([403, 200, 1]);
  const page = await client.get("/", { headers: { cookie: `_csrf=${earlier}` } });
  const renewed = page.cookies.get("_csrf")?.value ?? "";
  const seedOf = (token: string) => unmask(token).split(".")[0];
  expect([unmask(renewed) === unmask(earlier), seedOf(renewed)]).toEqual([false, seedOf(earlier)]);
});

test("with a first cookie injected by a sibling domain the request is refused", async () => {
  const { app, changes } = makeApp();
  const good = await issueToken(app, "ada");
  const injected = await issueToken(app, "eve");
  await using client = testClient(app);
  const cookie = `_csrf=${injected}; session_id=ada; _csrf=${good}`;
  for (const token of [injected, good])
    expect((await client.post("/change", { headers: { cookie, "x-csrf-token": token } })).status).toBe(403);
  expect(changes()).toBe(0);
});

test("the http origin of an https service counts as another origin", async () => {
  const { app } = makeApp();
  const token = await issueToken(app, "ada");
  const post = async (origin: string) => {
    const headers = { origin, cookie: `session_id=ada; _csrf=${token}`, "x-csrf-token": token };
    return (await app.fetch(new Request("https://host.test/change", { method: "POST", headers }))).status;
  };
  expect([
    await post("http://host.test"),
    await post("https://host.test"),
    await post("https://host.test:443"),
  ]).toEqual([403, 200, 200]);
});

test("requests for unmatched paths are checked", async () => {
  const { app } = makeApp();
  await using client = testClient(app);
  expect((await client.post("/nowhere")).status).toBe(403);
});
