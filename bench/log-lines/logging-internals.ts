/** Internal parts of the logging package, to measure them separately. */
// oxlint-disable no-restricted-imports -- measures internals
export { jsonAccessLine, type Outcome } from "../../packages/logging/src/access-line.ts";
export { isoClock } from "../../packages/logging/src/clock.ts";
export { LineWriter } from "../../packages/logging/src/line-writer.ts";
export { fileOutlet } from "../../packages/logging/src/outlet.ts";
