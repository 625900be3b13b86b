import { createHook } from "node:async_hooks";
import { bodyLimit } from "@framework/body-limit";
import { compression } from "@framework/compression";
import { App } from "@framework/core";
import { cors } from "@framework/cors";
import { etag } from "@framework/etag";
import { logging } from "@framework/logging";
import { prometheus } from "@framework/metrics";
import { rateLimit } from "@framework/rate-limit";
import { requestId } from "@framework/request-id";
import { csrf, securityHeaders } from "@framework/security";
import { socketClient } from "@framework/testing";
import { expect, test } from "@jest/globals";

const withRoute = (app: App): App => {
  app.get("/late", async () => "late");
  return app;
};

const appWithTenFeatures = () =>
  new (App.with(
    bodyLimit,
    compression,
    cors,
    csrf,
    etag,
    logging,
    prometheus,
    rateLimit,
    requestId,
    securityHeaders,
  ))()
    .enableBodyLimit()
    .enableCompression()
    .enableCors()
    .enableCsrf()
    .enableEtag()
    .enableLogging({ level: "error" })
    .enablePrometheus()
    .enableRateLimit()
    .enableRequestId()
    .enableSecurityHeaders();

/** Counts the promises of a request, including the promises of the client; returns the minimum of ten requests, because timers and split replies add some. */
const countPromises = async (app: App): Promise<number> => {
  await using client = socketClient(app, { env: "production" });
  let minimum = Infinity;
  for (let request = 0; request < 10; request++) {
    let count = 0;
    const hook = createHook({ init: (_id, type) => void (count += type === "PROMISE" ? 1 : 0) }).enable();
    const reply = await client.get("/late");
    hook.disable();
    expect(reply.text).toBe("late");
    minimum = Math.min(minimum, count);
  }
  return minimum;
};

test("ten features add no promise to a request with an async handler", async () => {
  expect(await countPromises(withRoute(appWithTenFeatures()))).toBe(
    await countPromises(withRoute(new App())),
  );
});
