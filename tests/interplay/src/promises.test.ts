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

const behindFeatures = () =>
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

/** The fewest promises that one of ten requests makes, those of the client included: timers and split replies only add some. */
const promisesOf = async (app: App): Promise<number> => {
  await using client = socketClient(app, { env: "production" });
  let fewest = Infinity;
  for (let request = 0; request < 10; request++) {
    let made = 0;
    const hook = createHook({ init: (_id, type) => void (made += type === "PROMISE" ? 1 : 0) }).enable();
    const reply = await client.get("/late");
    hook.disable();
    expect(reply.text).toBe("late");
    fewest = Math.min(fewest, made);
  }
  return fewest;
};

test("an async handler takes no more promises behind ten features than behind none", async () => {
  expect(await promisesOf(withRoute(behindFeatures()))).toBe(await promisesOf(withRoute(new App())));
});
