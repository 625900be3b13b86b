import { dbos } from "../driver/dbos-sdk.ts";
import type { Kernel } from "@framework/durable/feature";
import type { AnySaga } from "@framework/saga/feature";
import { DELIVERY } from "./delivery.ts";
import { workflowOf } from "../names/ids.ts";
import { forgetOnce } from "../store/once.ts";

const PAGE = 500;

/** Deletes what ended longer ago than sagas are kept: the records of `tx` steps first, so that a saga with the same key finds none of them. */
export const sweep = async (
  kernel: Pick<Kernel, "db">,
  definitions: readonly AnySaga[],
  keepSecs: number,
): Promise<void> => {
  const completedBefore = new Date(Date.now() - keepSecs * 1000).toISOString();
  const workflowName = [...definitions.map(workflowOf), DELIVERY];
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
    await forgetOnce(kernel, ids);
    await dbos().deleteWorkflows(ids);
  }
};
