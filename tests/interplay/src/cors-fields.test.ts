import { anyOf, ApiKeyAuth, BasicAuth, JwtAuth } from "@framework/auth";
import { circuitBreaker } from "@framework/breaker";
import { App } from "@framework/core";
import { cors } from "@framework/cors";
import { etag } from "@framework/etag";
import { rateLimit } from "@framework/rate-limit";
import { requestId } from "@framework/request-id";
import { csrf } from "@framework/security";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";

const secret = "a secret that is long enough for a test";
const origin = "https://pages.example";

const makeApp = (headers: readonly string[] = []) => {
  const app = new (App.with(cors, etag, rateLimit, requestId, circuitBreaker, csrf))();
  app.enableCors([origin], { headers });
  app.get("/", () => "read");
  app.post("/", () => "written");
  return app;
};

/** Returns the fields that pages of other origins may send and read. */
const permissions = async (app: App): Promise<readonly [sent: string | null, read: string | null]> => {
  await using client = testClient(app);
  const preflightHeaders = { origin, "access-control-request-method": "POST" };
  const preflight = await client.options("/", { headers: preflightHeaders });
  const reply = await client.get("/", { headers: { origin } });
  return [
    preflight.headers.get("access-control-allow-headers"),
    reply.headers.get("access-control-expose-headers"),
  ];
};

const quota = "RateLimit, RateLimit-Policy, Retry-After";
const limits = "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset";

test.each<[string, (app: ReturnType<typeof makeApp>) => unknown, string | null, string | null]>([
  ["no feature", () => {}, null, null],
  ["ETag", (app) => app.enableEtag(), null, "ETag"],
  ["rate limit", (app) => app.enableRateLimit(), null, `${quota}, ${limits}`],
  ["breaker", (app) => app.enableCircuitBreaker(), null, "Retry-After"],
  ["request id", (app) => app.enableRequestId(), "X-Request-ID", "X-Request-ID"],
  ["generated request ids", (app) => app.enableRequestId({ keepIncoming: false }), null, "X-Request-ID"],
  ["CSRF", (app) => app.enableCsrf({ headerName: "X-Token" }), "X-Token", null],
  ["an API key", (app) => app.use(new ApiKeyAuth({ k: "me" })), "X-API-Key", "WWW-Authenticate"],
  ["Basic authentication", (app) => app.use(new BasicAuth(() => true)), "Authorization", "WWW-Authenticate"],
  [
    "a token in a cookie or in a custom field",
    (app) => app.use(new JwtAuth({ secret, cookieName: "token", headerName: "X-Token" })),
    "X-Token",
    "WWW-Authenticate",
  ],
  [
    "everything",
    (app) =>
      app
        .enableCsrf()
        .enableCircuitBreaker()
        .enableRequestId()
        .enableRateLimit()
        .enableEtag()
        .use(anyOf(new ApiKeyAuth({ k: "me" }), new JwtAuth({ secret }))),
    "Authorization, X-API-Key, X-CSRF-Token, X-Request-ID",
    `ETag, ${quota}, WWW-Authenticate, ${limits}, X-Request-ID`,
  ],
])(
  "pages of other origins may use the fields of the enabled features: %s",
  async (_name, enable, sent, read) => {
    const app = makeApp();
    enable(app);
    expect(await permissions(app)).toEqual([sent, read]);
  },
);

test("Authorization is allowed in addition to *, which does not cover it", async () => {
  const app = makeApp(["*"]);
  app.enableCsrf().use(new JwtAuth({ secret }));
  expect((await permissions(app))[0]).toBe("*, Authorization");
});
