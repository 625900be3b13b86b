// Writes a line with its number to a file every millisecond, from `go` until it is killed; with END it ends by itself.
import { appendFileSync } from "node:fs";
import { untilGo } from "./index.ts";

const { FILE = "", AT = "", END } = process.env;
await untilGo();
if (END !== undefined) process.exit(3);
setInterval(() => appendFileSync(FILE, `${AT}\n`), 1);
