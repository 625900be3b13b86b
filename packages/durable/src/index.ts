export { durable, type Durable, type DurableMethods } from "./durable.ts";
export type { PendingMigration } from "./base/table-sets.ts";
export { DurableConfig } from "./durable-config.ts";
export { NonRetryableError } from "./work/queue/non-retryable-error.ts";
export type { WorkRate, WorkRateInput } from "./work/queue/work-rate.ts";
export type { ParkedDetails, ParkedItem, ParkedState } from "./parked/parked-item.ts";
export type {
  DiscardOptions,
  ParkedFilter,
  ParkedPage,
  ParkedWork,
  ReplayResult,
  ReplayOptions,
} from "./parked/parked-work.ts";
export { durableErrors } from "./error-codes.ts";
