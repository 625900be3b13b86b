/** The framework with `@framework/database`. */
import { App, NotFoundError, toInt } from "@framework/core";
import { serveProcessMetrics } from "../process-metrics.ts";
import { address, CONNECTIONS, withPostgres } from "./books.ts";
import { database } from "./database-package.ts";

const url = withPostgres ? address : `sqlite://${address}`;
const app = new (App.with(database))().enableDatabase({ url, poolSize: CONNECTIONS });
app.get("/books/{id}", async (request) => {
  const id = toInt(request.params.id, "id");
  const book = await app.db.fetchOne`SELECT id, title, author, year FROM bench_books WHERE id = ${id}`;
  if (book === null) throw new NotFoundError();
  return book;
});
await serveProcessMetrics();
await app.run({ env: "production", workers: 1, transport: "fast", argv: [] });
