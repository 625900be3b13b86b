/** Hono on its Node server, with its own validator and middlewares. */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { cors } from "hono/cors";
import { etag } from "hono/etag";
import { logger } from "hono/logger";
import { requestId } from "hono/request-id";
import { stream } from "hono/streaming";
import { validator } from "hono/validator";
import { ALLOWED_ORIGIN, withFiveMiddlewares, writeLog } from "./five.ts";
import { colonAndStar, plainRoutes } from "./plain-routes.ts";
import { serveProcessMetrics } from "./process-metrics.ts";
import { announce } from "./serving.ts";
import { chunks, greeting, isOrder, wholeNumber } from "./workload.ts";

const app = new Hono();
if (withFiveMiddlewares) {
  app.use(logger(writeLog), requestId(), cors({ origin: ALLOWED_ORIGIN }), etag({ weak: true }));
  app.use(async (context, next) => {
    context.header("X-Content-Type-Options", "nosniff");
    await next();
  });
}

const user = validator("param", (value, context) => {
  const id = wholeNumber(value["id"] ?? "");
  return id === null ? context.json({ error: "Validation Failed" }, 422) : { id };
});
const order = validator("json", (value, context) =>
  isOrder(value) ? value : context.json({ error: "Validation Failed" }, 422),
);

app.get("/json", (context) => context.json(greeting()));
for (const [verb, path] of plainRoutes(colonAndStar)) app[verb](path, (context) => context.json({ path }));
app.get("/users/:id", user, (context) => context.json({ id: context.req.valid("param").id }));
app.post("/echo", order, (context) => context.json(context.req.valid("json")));
app.get("/stream", (context) => {
  context.header("Content-Type", "application/octet-stream");
  return stream(context, async (body) => {
    for (const chunk of chunks()) await body.write(chunk);
  });
});
await serveProcessMetrics();
serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 0), hostname: "127.0.0.1" }, ({ port }) =>
  announce(port),
);
