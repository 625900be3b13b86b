import { readFileSync, writeFileSync } from "node:fs";
import { App } from "@framework/core";
import { caching } from "./index.ts";

/** A service whose one value lives in a file, so that every worker computes from the same state. */
const file = process.env["VERSION_FILE"] ?? "";
const read = () => Number(readFileSync(file, "utf8"));

const app = new (App.with(caching))().enableCaching({ ttl: 3600 });
app.get("/value", { cache: { tags: ["value"] } }, () => ({ version: read(), pid: process.pid }));
app.post("/value", () => {
  writeFileSync(file, String(read() + 1));
  return { version: read() };
});
app.post("/change", async () => {
  writeFileSync(file, String(read() + 1));
  const begin = performance.now();
  const dropped = await app.invalidateCache(["value"]);
  return { version: read(), dropped, tookMs: performance.now() - begin };
});
app.post("/crash", () => {
  setImmediate(() => process.kill(process.pid, "SIGKILL"));
  return {};
});
await app.run();
