import { dbosExecutor } from "../driver/dbos-sdk.ts";
import type { StepRecord } from "./replay.ts";

/** Reads the records of an instance. It bypasses the public API, which would record a step when called inside the workflow. */
export const recordsOf = async (id: string): Promise<readonly StepRecord[]> => {
  const executor = dbosExecutor();
  if (executor === undefined) throw new Error("saga-dbos: DBOS is not running");
  const steps = (await executor.listWorkflowSteps(id)) ?? [];
  return steps.map(({ name, output, completedAtEpochMs: endedAt = 0 }) => ({ name, output, endedAt }));
};
