// Prints a line that ends in "ready" before it is ready. Exits with 4 if it gets `go` within 100 ms after that, otherwise calls `untilGo` and works.
import { once } from "node:events";
import { untilGo } from "./index.ts";

const early = new AbortController();
setTimeout(() => early.abort(), 100);
process.stdout.write("already\n");
await once(process.stdin, "data", { signal: early.signal }).then(
  () => process.exit(4),
  () => {}, // as expected, `go` was not sent early
);
await untilGo();
setInterval(() => {}, 1000);
