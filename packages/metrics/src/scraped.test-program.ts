import { existsSync, writeFileSync } from "node:fs";
import { App } from "@framework/core";
import { prometheus } from "./index.ts";

const release = process.env["RELEASE_FILE"] ?? "";
const blocked = process.env["BLOCKED_FILE"] ?? "";

/** A service whose workers can be identified, and blocked by `/hang`, which creates the file `BLOCKED_FILE` and blocks until the file `RELEASE_FILE` exists. */
const app = new (App.with(prometheus))().enablePrometheus();
const sold = app.metrics.counter({ name: "books_sold_total", help: "Books sold.", labelNames: ["genre"] });
app.metrics.histogram({ name: "book_pages", help: "Pages of books.", buckets: [100, 500] }).observe(300);
app.get("/books/{id}", ({ params }) => {
  sold.inc({ genre: params.id.length > 2 ? "novel" : "poem" });
  return { id: params.id, pid: process.pid };
});
app.get("/pid", () => ({ pid: process.pid }));
app.post("/hang", () => {
  writeFileSync(blocked, "");
  const end = performance.now() + 120_000;
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(release) && performance.now() < end) Atomics.wait(sleeper, 0, 0, 20);
  return {};
});
await app.run({ transport: process.env["TRANSPORT"] === "fast" ? "fast" : "node" });
