import { App } from "@framework/core";
import { bodyLimit } from "@framework/body-limit";
import { rateLimit } from "@framework/rate-limit";
import { eachClient } from "@framework/testing";
import { expect, test } from "@jest/globals";

const makeApp = () => {
  const app = new (App.with(bodyLimit, rateLimit))()
    .enableBodyLimit(10)
    .enableRateLimit({ maxRequests: 2, windowSecs: 3600 });
  app.post("/", (request) => request.text());
  return app;
};

eachClient(
  test,
  makeApp,
  {
    "a request with an oversized body counts toward the rate limit and gets 429 once the limit is exceeded":
      async (client) => {
        const seen = [];
        for (let call = 0; call < 3; call++)
          seen.push((await client.post("/", { body: "x".repeat(11) })).status);
        expect(seen).toEqual([413, 413, 429]);
      },
    "a request with an unsupported content coding counts toward the rate limit": async (client) => {
      const headers = { "content-encoding": "br" };
      const seen = [];
      for (let call = 0; call < 3; call++) seen.push((await client.post("/", { body: "x", headers })).status);
      expect(seen).toEqual([415, 415, 429]);
    },
  },
  { log: { info() {}, warn() {}, error() {} } },
);
