import { App } from "@framework/core";
import { healthChecks } from "./index.ts";

/** A service with slow replies, in the environment that its variables say. */
const app = new (App.with(healthChecks))().enableHealthChecks();
app.healthCheck("store", () => {});
app.get("/slow", async () => {
  await new Promise((resolve) => setTimeout(resolve, 200));
  return { pid: process.pid };
});
await app.run({ transport: process.env["TRANSPORT"] === "fast" ? "fast" : "node" });
