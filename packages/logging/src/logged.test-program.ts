import { App } from "@framework/core";
import { logging, logOf } from "./index.ts";

/** A service with routes that return its pid, exit immediately, fail, and fill the output in one turn. */
const app = new (App.with(logging))().enableLogging({ format: "json" });
app.get("/pid", () => process.pid);
app.get("/exit", (request) => {
  logOf(request).info("last line");
  process.exit(3);
});
app.get("/fails", () => {
  throw new Error("no luck");
});
app.get("/flood", (request) => {
  const lines = request.getQueryInt("lines", 2000);
  for (let count = 0; count < lines; count++)
    logOf(request).info("flood", { count, filler: "x".repeat(100) });
  return process.pid;
});
await app.run();
