// For authors of features: the kernel and its parts.
import { FrameworkError } from "@framework/core";
import type { DurableMethods } from "./durable.ts";
import type { Kernel } from "./kernel/kernel.ts";

export { type AdminConfig, adminPath, adminRule } from "./admin-config.ts";
export { type Member, type Members, objectSchema, replySchema, type ValueOf } from "./admin/admin-schema.ts";
export { createKernel, type Kernel, type KernelOptions, type OwnKernel } from "./kernel/kernel.ts";
export type { HeldLease } from "./leases/held-lease.ts";
export { LeaseLostError } from "./leases/lease-lost-error.ts";
export type { Lane, Lanes, LanesOptions } from "./lanes/lane.ts";
export { NonRetryableError } from "./work/queue/non-retryable-error.ts";
export { TryLaterError } from "./work/queue/try-later-error.ts";
export type { RawWork } from "./work/raw-work.ts";
export type { NewRow } from "./work/table/enqueueing.ts";
export type { Admission, AdmissionResult } from "./work/queue/admission.ts";
export type { NewWork } from "./work/queue/new-work.ts";
export { checkTogether } from "./work/queue/check-together.ts";
export {
  queueDefinition,
  type QueueLimits,
  type QueueOptions,
  type WorkHandler,
} from "./work/queue/queue-options.ts";
export { type WorkRate, workRate, type WorkRateInput } from "./work/queue/work-rate.ts";
export type { WorkInfo } from "./work/work-info.ts";
export { untilEnded, type WorkItem } from "./work/queue/work-item.ts";
export type {
  CancelOptions,
  EnqueuedItem,
  UniqueItem,
  WorkFilter,
  WorkOptions,
  WorkPage,
  WorkQueue,
  WorkStats,
} from "./work/work-queue.ts";
export type { FinishedState, UnfinishedState, WorkState } from "./work/table/work-state.ts";
export { type Failure, failureOf, type StoredFailure } from "./parked/failure.ts";
export type { ParkedDetails } from "./parked/parked-item.ts";
export type {
  HeldState,
  NewParked,
  ParkedInOrder,
  ParkedOrigin,
  ParkedSource,
} from "./parked/parked-source.ts";
export type { KernelHost } from "./base/kernel-base.ts";
export type { LeasedTable } from "./owners/leased-table.ts";
export type { RowLeases } from "./owners/row-leases.ts";
export type { Place } from "./place/place.ts";
export { databaseNow } from "./time/database-now.ts";
export { pause } from "./time/pause.ts";

/**
 * Returns the kernel of an app, from the methods that `install` gets.
 *
 * @throws CORE_FEATURE_MISSING if `durable` does not precede the feature; with `requires`, the message names the feature instead
 */
export const kernelOf = (needs: Partial<DurableMethods>): Kernel => {
  if (needs.durable !== undefined) return needs.durable.kernel;
  throw new FrameworkError(
    "CORE_FEATURE_MISSING",
    "a feature needs durable before it: class MyApp extends App.with(database, durable, feature) {}",
  );
};
