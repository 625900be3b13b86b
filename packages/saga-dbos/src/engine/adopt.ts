import type { Kernel } from "@framework/durable/feature";
import { dbos, dbosExecutor } from "../driver/dbos-sdk.ts";
import { allExecutors, forEachGone } from "./executors.ts";

/** Workflows read per query; each query excludes the processes found by the previous ones. */
const PAGE = 100;

/** Takes over the unfinished workflows of all lost processes. */
export const adoptLost = async (kernel: Kernel): Promise<void> => {
  const others = new Set(allExecutors);
  others.delete(dbos().executorID);
  while (others.size > 0) {
    const pending = await dbos().listWorkflows({
      status: "PENDING",
      executorId: Array.from(others),
      limit: PAGE,
      loadInput: false,
      loadOutput: false,
    });
    const found = new Set(pending.map(({ executorId = "" }) => executorId));
    await forEachGone(kernel, found, async (executor) => {
      await dbosExecutor()?.recoverPendingWorkflows([executor]);
    });
    if (pending.length < PAGE) return;
    for (const executor of found) others.delete(executor);
  }
};
