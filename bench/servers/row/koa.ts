/** Koa with the bare library. */
import { Router } from "@koa/router";
import Koa from "koa";
import { serveProcessMetrics } from "../process-metrics.ts";
import { announceServer, listenPort } from "../serving.ts";
import { wholeNumber } from "../workload.ts";
import { openBooks } from "./books.ts";

const find = await openBooks();
const app = new Koa();
const router = new Router();
router.get("/books/:id", async (context) => {
  const id = wholeNumber(context.params["id"] ?? "");
  const book = id === null ? undefined : await find(id);
  if (book === undefined) context.throw(404);
  context.body = book;
});
app.use(router.routes());
await serveProcessMetrics();
const server = app.listen(listenPort, "127.0.0.1", () => announceServer(server));
