/** Koa with `koa-ratelimit`, which counts in each worker. */
import { Router } from "@koa/router";
import Koa from "koa";
import limit from "koa-ratelimit";
import { listenPort } from "../serving.ts";
import { greeting } from "../workload.ts";
import { CLIENT_FIELD, MAX_REQUESTS, WINDOW_SECS } from "./client.ts";
import { runWorkers } from "./workers.ts";

await runWorkers(() => {
  const app = new Koa();
  app.use(
    limit({
      driver: "memory",
      db: new Map(),
      max: MAX_REQUESTS,
      duration: WINDOW_SECS * 1000,
      id: (context) => context.get(CLIENT_FIELD),
    }),
  );
  const router = new Router();
  router.get("/json", (context) => {
    context.body = greeting();
  });
  app.use(router.routes());
  app.listen(listenPort, "127.0.0.1");
});
