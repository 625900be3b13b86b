import { FrameworkError } from "@framework/core";
import { systemClock } from "@framework/core/feature";
import { type HeldLease, type Kernel, pause } from "@framework/durable/feature";

/** Maximum number of processes of one app that use DBOS, with and without `workers`. */
export const MAX_PROCESSES = 256;
const KIND = "saga-dbos";
const LAUNCH_POLL_MS = 100;

/**
 * Claims the lease of the first free executor id. Two processes must never have the same id, because DBOS resumes the unfinished workflows of an id
 * when a process launches with it. A process without `workers` also needs one: it runs no sagas, but it does run the workflows that deliver messages.
 *
 * @throws SAGA_DBOS_TOO_MANY
 */
export const claimExecutorId = async (kernel: Kernel): Promise<HeldLease> => {
  for (let number = 0; number < MAX_PROCESSES; number++) {
    const lease = await kernel.acquireLease(KIND, String(number));
    if (lease !== null) return lease;
  }
  throw new FrameworkError(
    "SAGA_DBOS_TOO_MANY",
    `saga-dbos: ${MAX_PROCESSES} processes of this app already use DBOS; stop one of them`,
  );
};

/**
 * Launches DBOS while no other process of the app does: a launch migrates DBOS's tables, and concurrent migrations deadlock.
 *
 * @param signal aborts the wait for the other processes
 */
export const launchAlone = async (
  kernel: Kernel,
  signal: AbortSignal,
  launch: () => Promise<void>,
): Promise<void> => {
  for (;;) {
    signal.throwIfAborted();
    const lease = await kernel.acquireLease(KIND, "launch");
    if (lease === null) {
      await pause(systemClock, LAUNCH_POLL_MS, signal);
      continue;
    }
    try {
      return await launch();
    } finally {
      await lease.release();
    }
  }
};

/** Returns the executor id of a lease. */
export const executorOf = ({ name }: Pick<HeldLease, "name">): string => `saga-${name}`;

/** All executor ids. */
export const allExecutors: readonly string[] = Array.from({ length: MAX_PROCESSES }, (_, number) =>
  executorOf({ name: String(number) }),
);

/** Calls `adopt` for each executor whose process is lost, while holding its lease. */
export const forEachLost = async (
  kernel: Kernel,
  executors: Iterable<string>,
  adopt: (executor: string) => Promise<void>,
): Promise<void> => {
  for (const executor of executors) {
    const lease = await kernel.acquireLease(KIND, executor.replace("saga-", ""));
    if (lease === null) continue;
    try {
      await adopt(executor);
    } finally {
      await lease.release();
    }
  }
};
