/** The parts of the logging package that are measured by themselves; none of them is public. */
// oxlint-disable no-restricted-imports -- only their cost is measured
export { jsonAccessLine, type Outcome } from "../../packages/logging/src/access-line.ts";
export { isoClock } from "../../packages/logging/src/clock.ts";
export { LineWriter } from "../../packages/logging/src/line-writer.ts";
export { fileOutlet } from "../../packages/logging/src/outlet.ts";
