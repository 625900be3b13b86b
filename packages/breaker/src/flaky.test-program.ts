import { App, HttpError } from "@framework/core";
import { circuitBreaker } from "./circuit-breaker.ts";

const held: (() => void)[] = [];

/** A service whose handler follows the `X-Do` header; `/release` ends held requests. */
const app = new (App.with(circuitBreaker))().enableCircuitBreaker({ resetTimeout: 4 });
app.get("/", async (request) => {
  const act = request.getHeader("x-do");
  if (act === "fail") throw new HttpError(500, "failed on request");
  if (act === "hold") await new Promise<void>((resolve) => held.push(resolve));
  return "done";
});
app.get("/pid", { breaker: false }, () => process.pid);
app.get("/held", { breaker: false }, () => held.length);
app.get("/release", { breaker: false }, () => {
  for (const release of held.splice(0)) release();
});
await app.run();
