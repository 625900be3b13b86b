import { App } from "@framework/core";
import { prometheus } from "./index.ts";

/** A service whose workers can be identified and made to hang. */
const app = new (App.with(prometheus))().enablePrometheus();
const sold = app.metrics.counter({ name: "books_sold_total", help: "Books sold.", labelNames: ["genre"] });
app.metrics.histogram({ name: "book_pages", help: "Pages of books.", buckets: [100, 500] }).observe(300);
app.get("/books/{id}", ({ params }) => {
  sold.inc({ genre: params.id.length > 2 ? "novel" : "poem" });
  return { id: params.id, pid: process.pid };
});
app.get("/pid", () => ({ pid: process.pid }));
app.post("/hang", () => {
  const end = performance.now() + 4000;
  while (performance.now() < end);
  return {};
});
await app.run({ transport: process.env["TRANSPORT"] === "fast" ? "fast" : "node" });
