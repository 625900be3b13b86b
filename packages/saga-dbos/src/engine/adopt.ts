import type { Kernel } from "@framework/durable/feature";
import { dbos, dbosExecutor } from "../driver/dbos-sdk.ts";
import { allExecutors, forEachLost } from "./executors.ts";

/** Workflows read per query; each query excludes the processes found by the previous ones. */
const PAGE = 100;

/** Takes over the unfinished workflows of all lost processes. */
export const adoptLost = async (kernel: Kernel): Promise<void> => {
  const remaining = new Set(allExecutors);
  remaining.delete(dbos().executorID);
  while (remaining.size > 0) {
    const pending = await dbos().listWorkflows({
      status: "PENDING",
      executorId: Array.from(remaining),
      limit: PAGE,
      loadInput: false,
      loadOutput: false,
    });
    const executors = new Set(pending.map(({ executorId = "" }) => executorId));
    await forEachLost(kernel, executors, async (executor) => {
      await dbosExecutor()?.recoverPendingWorkflows([executor]);
    });
    if (pending.length < PAGE) return;
    for (const executor of executors) remaining.delete(executor);
  }
};
