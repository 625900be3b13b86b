import { dbos } from "../driver/dbos-sdk.ts";
import type { Kernel } from "@framework/durable/feature";
import type { AnySaga } from "@framework/saga/feature";
import { forgetDeliveries } from "./delivery.ts";
import { workflowOf } from "../names/ids.ts";
import { forgetOnce } from "../store/once.ts";

const PAGE = 500;

/**
 * Deletes sagas that ended longer ago than they are kept. The records of their messages and `tx` steps are deleted first, so that a saga with the same key
 * finds none of them; those of a saga that still runs stay, however old they are.
 */
export const sweep = async (
  kernel: Pick<Kernel, "db">,
  definitions: readonly AnySaga[],
  keepSecs: number,
): Promise<void> => {
  const completedBefore = new Date(Date.now() - keepSecs * 1000).toISOString();
  const workflowName = definitions.map(workflowOf);
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
    for (const id of ids) await forgetDeliveries(id);
    await forgetOnce(kernel, ids);
    await dbos().deleteWorkflows(ids);
  }
};
