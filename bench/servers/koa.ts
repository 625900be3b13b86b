/** Koa with its own router, body parser, CORS and ETag. */
import { Readable } from "node:stream";
import { bodyParser } from "@koa/bodyparser";
import cors from "@koa/cors";
import { Router } from "@koa/router";
import Koa from "koa";
import conditional from "koa-conditional-get";
import etag from "koa-etag";
import { ALLOWED_ORIGIN, logAccess, requestIdOf, withFiveMiddlewares } from "./five.ts";
import { plainRoutes } from "./plain-routes.ts";
import { serveProcessMetrics } from "./process-metrics.ts";
import { announceServer } from "./serving.ts";
import { chunks, greeting, isOrder, wholeNumber } from "./workload.ts";

const app = new Koa();
if (withFiveMiddlewares) {
  app.use(async (context, next) => {
    const since = performance.now();
    const requestId = requestIdOf(context.get("x-request-id"));
    context.set({ "X-Request-Id": requestId, "X-Content-Type-Options": "nosniff" });
    await next();
    const { method, path, status } = context;
    logAccess({ method, path, status, requestId, since });
  });
  app
    .use(cors({ origin: ALLOWED_ORIGIN }))
    .use(conditional())
    .use(etag());
}
const router = new Router();
for (const [verb, path] of plainRoutes({
  param: (name) => `:${name}`,
  wildcard: (name) => `*${name}`,
})) {
  router[verb](path, (context) => {
    context.body = { path };
  });
}
router.get("/json", (context) => {
  context.body = greeting();
});
router.get("/users/:id", (context) => {
  const id = wholeNumber(context.params["id"] ?? "");
  if (id === null) context.throw(422);
  context.body = { id };
});
router.post("/echo", bodyParser({ enableTypes: ["json"] }), (context) => {
  const { body } = context.request;
  if (!isOrder(body)) context.throw(422);
  context.body = body;
});
router.get("/stream", (context) => {
  context.type = "application/octet-stream";
  context.body = Readable.from(chunks(), { objectMode: false });
});
app.use(router.routes());
await serveProcessMetrics();
const server = app.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1", () => announceServer(server));
