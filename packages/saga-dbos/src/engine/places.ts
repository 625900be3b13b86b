import { FrameworkError } from "@framework/core";
import type { HeldLease, Kernel } from "@framework/durable/feature";

/** Most processes that run sagas of one app at a time. */
export const MAX_PROCESSES = 256;
const KIND = "saga-dbos";

/**
 * Takes the first free place of a process. Its number is the process's executor id in DBOS, which runs the unfinished workflows of an id again when a process
 * launches with it: two processes must never have the same.
 *
 * @throws SAGA_DBOS_TOO_MANY
 */
export const takePlace = async (kernel: Kernel): Promise<HeldLease> => {
  for (let number = 0; number < MAX_PROCESSES; number++) {
    const lease = await kernel.acquireLease(KIND, String(number));
    if (lease !== null) return lease;
  }
  throw new FrameworkError(
    "SAGA_DBOS_TOO_MANY",
    `saga-dbos: ${MAX_PROCESSES} processes run sagas of this app already; start this one with workers: false`,
  );
};

/** Executor id of a place. */
export const executorOf = ({ name }: Pick<HeldLease, "name">): string => `saga-${name}`;

/** Executor ids of all places. */
export const allExecutors: readonly string[] = Array.from({ length: MAX_PROCESSES }, (_, number) =>
  executorOf({ name: String(number) }),
);

/** Calls `adopt` for each of the executors whose process is gone, while no other process does. */
export const forGone = async (
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
