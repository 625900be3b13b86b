import { dbos } from "../driver/dbos-sdk.ts";
import type { Kernel } from "@framework/durable/feature";
import { deleteDeliveries } from "./delivery.ts";
import { sagaOf } from "../names/ids.ts";
import { deleteOnceRecords } from "../store/once.ts";

const PAGE = 500;

/**
 * Deletes sagas whose retention has ended. The records of their messages and `tx` steps are deleted first, so that a new saga with the same key
 * does not find them. Records of unfinished sagas stay, regardless of their age.
 */
export const sweep = async (kernel: Pick<Kernel, "db">, keepSecs: number): Promise<void> => {
  const completedBefore = new Date(Date.now() - keepSecs * 1000).toISOString();
  const workflowName = await sagaWorkflows();
  if (workflowName.length === 0) return;
  for (;;) {
    const old = await dbos().listWorkflows({
      workflowName,
      status: "SUCCESS",
      completedBefore,
      limit: PAGE,
      loadInput: false,
      loadOutput: false,
    });
    if (old.length === 0) break;
    const ids = old.map(({ workflowID }) => workflowID);
    for (const id of ids) await deleteDeliveries(id);
    await deleteOnceRecords(kernel, ids);
    await dbos().deleteWorkflows(ids);
  }
};

/** Names of the workflows of all versions. Each has a queue of the same name, even if no process defines it any longer. */
const sagaWorkflows = async (): Promise<string[]> =>
  (await dbos().listQueues()).map(({ name }) => name).filter((name) => sagaOf(name) !== null);
