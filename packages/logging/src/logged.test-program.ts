import { App } from "@framework/core";
import { logging, logOf } from "./index.ts";

/** A service that says where it is, ends without a word, fails, and fills its output in one turn. */
const app = new (App.with(logging))().enableLogging({ format: "json" });
app.get("/pid", () => process.pid);
app.get("/exit", (request) => {
  logOf(request).info("the last words");
  process.exit(3);
});
app.get("/fails", () => {
  throw new Error("no luck");
});
app.get("/much", (request) => {
  const lines = request.getQueryInt("lines", 2000);
  for (let count = 0; count < lines; count++) logOf(request).info("much", { count, filler: "x".repeat(100) });
  return "much";
});
await app.run();
