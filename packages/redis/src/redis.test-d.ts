import { App } from "@framework/core";
import { JwtAuth } from "@framework/auth";
import { caching } from "@framework/cache";
import { rateLimit } from "@framework/rate-limit";
import { redis, redisCacheStore, RedisClient, RedisConfig, redisPermits, redisTokenStore } from "./index.ts";

const app = new (App.with(redis, rateLimit, caching))();

app
  .enableRedis()
  .enableRedis({ url: "redis://localhost", poolSize: 2, clusterMode: true })
  .enableRedis(RedisConfig.local())
  .enableRedis(RedisConfig.cluster("redis://a"))
  .enableRateLimit({ store: redisPermits(app) })
  .enableCaching({ store: redisCacheStore(app) })
  .use(new JwtAuth({ secret: "x".repeat(32), store: redisTokenStore(app) }))
  .get("/", { inject: { client: RedisClient } }, async ({ app: { redis: same } }, { client }) => {
    const text: string | null = await client.get("key");
    const number: number = await same.incr("key");
    return { text, number };
  });

const popped: Promise<readonly string[] | null> = app.withRedis((own) => own.blpop("list", 5), {
  timeoutMs: 6000,
});
void popped;

// @ts-expect-error the method exists only if the feature is composed
new App().enableRedis();

// @ts-expect-error a misspelt option
app.enableRedis({ poolsize: 1 });

// @ts-expect-error an app without the feature has no client
redisPermits(new App());
