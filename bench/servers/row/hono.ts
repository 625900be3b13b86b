/** Hono with the bare library. */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { serveProcessMetrics } from "../process-metrics.ts";
import { announce, listenPort } from "../serving.ts";
import { wholeNumber } from "../workload.ts";
import { openBooks } from "./books.ts";

const find = await openBooks();
const app = new Hono();
app.get("/books/:id", async (context) => {
  const id = wholeNumber(context.req.param("id"));
  const book = id === null ? undefined : await find(id);
  return book === undefined ? context.notFound() : context.json(book);
});
await serveProcessMetrics();
serve({ fetch: app.fetch, port: listenPort, hostname: "127.0.0.1" }, ({ port }) => announce(port));
