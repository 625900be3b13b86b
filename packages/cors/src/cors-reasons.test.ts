import { App } from "@framework/core";
import { explainRequests } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { cors } from "./index.ts";

const SHOP = "https://shop.example";

const reasonsOf = async (origins: string | undefined, method: string, headers: Record<string, string>) => {
  const makeApp = () => {
    const app = new (App.with(cors))().enableCors(origins);
    app.get("/", () => "hello");
    return app;
  };
  const [explained] = await explainRequests(makeApp, [[method, "/", { headers }]]);
  return {
    reasons: explained?.reasons("cors"),
    allowed: explained?.reply.headers.get("access-control-allow-origin"),
  };
};

const preflightHeaders = { "access-control-request-method": "PUT" };

test.each([
  [SHOP, "GET", {}, "the request has no Origin: it is not from a page of another origin", null],
  [SHOP, "GET", { origin: SHOP }, "the origin is listed: its pages may read the reply", SHOP],
  [
    SHOP,
    "GET",
    { origin: "https://x.example" },
    "the origin is not listed: its pages may not read the reply",
    null,
  ],
  [undefined, "GET", { origin: SHOP }, "every origin is allowed: its pages may read the reply", "*"],
  [SHOP, "OPTIONS", { origin: SHOP, ...preflightHeaders }, "a preflight: the origin is listed", SHOP],
  [
    SHOP,
    "OPTIONS",
    { origin: "https://x.example", ...preflightHeaders },
    "a preflight: the origin is not listed",
    null,
  ],
])(
  "with the origins %p, %s with %o has the reason: %s",
  async (origins, method, headers, reason, allowed) => {
    expect(await reasonsOf(origins, method, headers as Record<string, string>)).toEqual({
      reasons: [reason],
      allowed,
    });
  },
);
