import { dbosExecutor } from "../driver/dbos-sdk.ts";
import type { StepRecord } from "./replay.ts";

/** Reads the records of an instance. Inside its workflow this is no step of DBOS, so that it leaves no record itself. */
export const recordsOf = async (id: string): Promise<readonly StepRecord[]> => {
  const executor = dbosExecutor();
  if (executor === undefined) throw new Error("saga-dbos: DBOS has ended");
  const steps = (await executor.listWorkflowSteps(id)) ?? [];
  return steps.map(({ name, output, completedAtEpochMs: endedAt = 0 }) => ({ name, output, endedAt }));
};
