/** Hono with the bare library. */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { announce, listenPort, openVitals } from "../serving.ts";
import { wholeNumber } from "../workload.ts";
import { openBooks } from "./books.ts";

const find = await openBooks();
const app = new Hono();
app.get("/books/:id", async (context) => {
  const id = wholeNumber(context.req.param("id"));
  const book = id === null ? undefined : await find(id);
  return book === undefined ? context.notFound() : context.json(book);
});
await openVitals();
serve({ fetch: app.fetch, port: listenPort, hostname: "127.0.0.1" }, ({ port }) => announce(port));
