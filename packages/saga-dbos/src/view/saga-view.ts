import type { WorkflowStatus } from "@dbos-inc/dbos-sdk";
import { dbos } from "../driver/dbos-sdk.ts";
import type { SagaInfo, SagaSummary } from "@framework/saga";
import { type AnySaga, failureText, isEnd, type SagaRegistry, valueIn } from "@framework/saga/feature";
import { sagaOf } from "../names/ids.ts";
import type { Progress, SagaStart } from "../script/progress.ts";
import { recordsOf } from "./records.ts";
import { replay } from "./replay.ts";

/** An instance, derived from its records. */
export interface SagaView {
  readonly workflow: WorkflowStatus;
  readonly definition: AnySaga;
  readonly progress: Progress;
}

/** Statuses of stopped workflows that DBOS can resume. */
const resumable = new Set(["CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]);

/** Whether DBOS can resume a stopped workflow. */
export const isResumable = ({ status }: WorkflowStatus): boolean => resumable.has(status);

/** Whether DBOS has stopped the workflow and does not continue it by itself. */
export const isStopped = ({ status }: WorkflowStatus): boolean => status === "ERROR" || resumable.has(status);

/** Reads an instance; `null` for an unknown id, and if this process does not define its version. */
export const findSaga = async (registry: SagaRegistry, id: string): Promise<SagaView | null> => {
  const workflow = await dbos().getWorkflowStatus(id);
  return workflow === null ? null : await readSaga(registry, workflow);
};

/** Reads the instance of a workflow; `null` if this process does not define its version. */
export const readSaga = async (
  registry: SagaRegistry,
  workflow: WorkflowStatus,
): Promise<SagaView | null> => {
  const { workflowID: id, createdAt } = workflow;
  const version = sagaOf(workflow.workflowName);
  if (version === null || !registry.has(version.name, version.version)) return null;
  const definition = registry.get(version.name, version.version);
  const records = await recordsOf(id);
  const [start] = workflow.input as [SagaStart];
  return { workflow, definition, progress: replay(definition, { id, start, createdAt, records }) };
};

/** Returns an instance for a list. */
export const summaryOf = ({ workflow, progress }: SagaView): SagaSummary => {
  const { id, name, version, key, status, position, waitsFor, waitUntil, error } = progress.saga;
  const stop = isStopped(workflow) ? stopOf(workflow) : null;
  return {
    id,
    name,
    version,
    key,
    status: stop === null ? status : "paused",
    position,
    waitsFor,
    waitUntil,
    error: failure(stop ?? error),
    createdAt: workflow.createdAt,
    updatedAt: progress.at,
    finishedAt: isEnd(status) ? progress.at : null,
  };
};

/** Returns the failure that stopped the workflow in DBOS, as JSON. */
const stopOf = ({ status, error }: WorkflowStatus): string =>
  failureText(error ?? new Error(`the workflow is ${status}; it was changed in DBOS`));

/** Returns an instance with its steps. */
export const infoOf = (from: SagaView): SagaInfo => {
  const { definition, progress } = from;
  const { input, trace, branches } = progress.saga;
  const inOrder = branches.toSorted(
    (a, b) => a.position - b.position || (a.branch < b.branch ? -1 : Number(a.branch > b.branch)),
  );
  return {
    ...summaryOf(from),
    input: valueIn(input),
    trace,
    steps: inOrder.map(({ position, output, error, ...state }) => ({
      ...state,
      position,
      step: definition.steps[position]?.name ?? null,
      output: valueIn(output),
      error: failure(error),
    })),
  };
};

const failure = (text: string | null): SagaInfo["error"] =>
  (valueIn(text) as SagaInfo["error"] | undefined) ?? null;
