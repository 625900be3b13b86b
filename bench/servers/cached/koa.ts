/** Koa with `koa-cash` and a `Map`. */
import { Router } from "@koa/router";
import Koa, { type Context } from "koa";
import cash from "koa-cash";
import { serveProcessMetrics } from "../process-metrics.ts";
import { announceServer, listenPort } from "../serving.ts";
import { FRESH_SECS, report } from "./report.ts";

const entries = new Map<string, unknown>();
const app = new Koa();
app.use(
  cash({
    maxAge: FRESH_SECS * 1000,
    get: async (key) => entries.get(key),
    set: async (key, value) => void entries.set(key, value),
  }),
);
const router = new Router();
router.get("/report", async (context) => {
  if (await (context as unknown as Context & { cashed(): Promise<boolean> }).cashed()) return;
  context.body = report();
});
app.use(router.routes());
await serveProcessMetrics();
const server = app.listen(listenPort, "127.0.0.1", () => announceServer(server));
