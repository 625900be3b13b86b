// From `go` until it is killed, appends a line with AT, its process number, to FILE every millisecond. With END it exits at `go`.
import { appendFileSync } from "node:fs";
import { untilGo } from "./index.ts";

const { FILE = "", AT = "", END } = process.env;
await untilGo();
if (END !== undefined) process.exit(3);
setInterval(() => appendFileSync(FILE, `${AT}\n`), 1);
