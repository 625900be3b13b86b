import { App } from "@framework/core";
import { caching } from "@framework/cache";
import { rateLimit, RateLimitConfig } from "@framework/rate-limit";
import { redis } from "./index.ts";

/** One host of a service with several hosts. The store timeout is long because tests run on busy machines. */
const app = new (App.with(rateLimit, caching, redis))()
  .enableRateLimit(
    RateLimitConfig.slidingWindow(1000, 3600, {
      key: () => "all",
      storeTimeoutMs: 10_000,
      onStoreError: "deny",
    }),
  )
  .enableCaching({ ttl: 3600 })
  .enableRedis({
    url: process.env["REDIS_URL"],
    keyPrefix: process.env["KEY_PREFIX"],
    connectionTimeoutSecs: 60,
    commandTimeoutMs: 60_000,
    shared: true,
  });
const version = async () => Number(await app.redis.get("version"));
app.get("/limited", { cache: false }, () => "let through");
app.get("/value", { rateLimit: false, cache: { tags: ["value"] } }, async () => ({
  version: await version(),
  pid: process.pid,
}));
app.post("/change", { rateLimit: false }, async () => {
  await app.redis.incr("version");
  const dropped = await app.invalidateCache(["value"]);
  return { version: await version(), dropped, pid: process.pid };
});
await app.run();
