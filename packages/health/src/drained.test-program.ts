import { App } from "@framework/core";
import { healthChecks } from "./index.ts";

/** A service with slow replies, configured by environment variables. */
const app = new (App.with(healthChecks))().enableHealthChecks();
app.healthCheck("store", () => {});
app.get("/slow", async () => {
  await new Promise((resolve) => setTimeout(resolve, 200));
  return { pid: process.pid };
});
await app.run({
  transport: process.env["TRANSPORT"] === "fast" ? "fast" : "node",
  cluster: { readinessDelaySecs: 5 }, // long enough for the test's probes on a busy machine
});
