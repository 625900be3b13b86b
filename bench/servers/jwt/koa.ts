/** Koa with a middleware that uses `jose`. */
import { Router } from "@koa/router";
import Koa from "koa";
import { serveProcessMetrics } from "../process-metrics.ts";
import { announceServer, listenPort } from "../serving.ts";
import { subjectOf } from "./verify-with-jose.ts";

const app = new Koa();
app.use(async (context, next) => {
  const sub = await subjectOf(context.headers.authorization);
  if (sub === null) context.throw(401);
  context.state["sub"] = sub;
  await next();
});
const router = new Router();
router.get("/me", (context) => {
  context.body = { sub: context.state["sub"] as string };
});
app.use(router.routes());
await serveProcessMetrics();
const server = app.listen(listenPort, "127.0.0.1", () => announceServer(server));
