// For authors of features: the kernel that runs their durable work.
import type { DurableMethods } from "./durable.ts";
import type { Kernel } from "./kernel/kernel.ts";

export { createKernel, type Kernel, type KernelOptions, type OwnKernel } from "./kernel/kernel.ts";
export type { HeldLease } from "./leases/held-lease.ts";
export { LeaseLostError } from "./leases/lease-lost-error.ts";
export type { Lane, Lanes, LanesOptions } from "./lanes/lane.ts";
export type { KernelHost } from "./base/kernel-base.ts";
export type { Place } from "./place/place.ts";
export { databaseNow } from "./time/database-now.ts";

/** Returns the kernel of an app, from the methods that `install` gets. */
export const kernelOf = (needs: DurableMethods): Kernel => needs.durable.kernel;
