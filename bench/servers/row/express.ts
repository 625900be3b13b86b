/** Express with the database driver alone: `node:sqlite` or `pg`. */
import createExpress from "express";
import { serveProcessMetrics } from "../process-metrics.ts";
import { announceServer, listenPort } from "../serving.ts";
import { wholeNumber } from "../workload.ts";
import { openBooks } from "./books.ts";

const find = await openBooks();
const app = createExpress().disable("x-powered-by").disable("etag");
app.get("/books/:id", async (request, response) => {
  const id = wholeNumber(request.params.id);
  const book = id === null ? undefined : await find(id);
  if (book === undefined) response.status(404).json({ error: "Not Found" });
  else response.json(book);
});
await serveProcessMetrics();
const server = app.listen(listenPort, "127.0.0.1", () => announceServer(server));
