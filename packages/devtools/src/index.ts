export { type Devtools, devtools } from "./devtools.ts";
export { DevtoolsConfig } from "./devtools-config.ts";
export { devtoolsErrors } from "./error-codes.ts";
export type { Fault, FaultRule } from "./faults/fault-rule.ts";
