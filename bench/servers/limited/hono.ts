/** Hono with `hono-rate-limiter`, whose counters are per worker. */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { rateLimiter } from "hono-rate-limiter";
import { listenPort } from "../serving.ts";
import { greeting } from "../workload.ts";
import { CLIENT_FIELD, MAX_REQUESTS, WINDOW_SECS } from "./client.ts";
import { runWorkers } from "./workers.ts";

await runWorkers(() => {
  const app = new Hono();
  app.use(
    rateLimiter({
      limit: MAX_REQUESTS,
      windowMs: WINDOW_SECS * 1000,
      keyGenerator: (context) => context.req.header(CLIENT_FIELD) ?? "",
    }),
  );
  app.get("/json", (context) => context.json(greeting()));
  serve({ fetch: app.fetch, port: listenPort, hostname: "127.0.0.1" });
});
