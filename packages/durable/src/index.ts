export { durable, type Durable, type DurableMethods } from "./durable.ts";
export { DurableConfig } from "./durable-config.ts";
export { durableErrors } from "./error-codes.ts";
