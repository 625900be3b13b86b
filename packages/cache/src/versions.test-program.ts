import { readFileSync, writeFileSync } from "node:fs";
import { App } from "@framework/core";
import { caching } from "./index.ts";

/** A service whose value is in a file, so that all workers share it. */
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
  const dropped = await app.invalidateCache(["value"]);
  return { version: read(), dropped };
});
app.post("/crash", () => {
  setImmediate(() => process.kill(process.pid, "SIGKILL"));
  return {};
});
await app.run();
