import type { WorkflowStatus } from "@dbos-inc/dbos-sdk";
import { dbos } from "../driver/dbos-sdk.ts";
import type { SagaInfo, SagaSummary } from "@framework/saga";
import { type AnySaga, failureText, isEnd, type SagaRegistry, valueIn } from "@framework/saga/feature";
import { sagaOf } from "../names/ids.ts";
import type { Progress, SagaStart } from "../script/progress.ts";
import { recordsOf } from "./records.ts";
import { replay } from "./replay.ts";

/** An instance as its records tell it. */
export interface Seen {
  readonly workflow: WorkflowStatus;
  readonly definition: AnySaga;
  readonly progress: Progress;
}

/** Statuses in which DBOS does not go on by itself, but when it is asked to. */
const resumable = new Set(["CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]);

/** Whether DBOS goes on with the workflow when it is asked to. */
export const isResumable = ({ status }: WorkflowStatus): boolean => resumable.has(status);

/** Whether DBOS does not go on with the workflow by itself. */
export const isStopped = ({ status }: WorkflowStatus): boolean => status === "ERROR" || resumable.has(status);

/** Reads an instance; `null` for an unknown id, and for one whose version this process does not define. */
export const see = async (registry: SagaRegistry, id: string): Promise<Seen | null> => {
  const workflow = await dbos().getWorkflowStatus(id);
  return workflow === null ? null : await seen(registry, workflow);
};

/** Reads what a workflow has done. */
export const seen = async (registry: SagaRegistry, workflow: WorkflowStatus): Promise<Seen | null> => {
  const { workflowID: id, createdAt } = workflow;
  const version = sagaOf(workflow.workflowName);
  if (version === null || !registry.has(version.name, version.version)) return null;
  const definition = registry.get(version.name, version.version);
  const records = await recordsOf(id);
  const [start] = workflow.input as [SagaStart];
  return { workflow, definition, progress: replay(definition, { id, start, createdAt, records }) };
};

/** An instance in a list. */
export const summaryOf = ({ workflow, progress }: Seen): SagaSummary => {
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

/** Why DBOS does not go on: JSON of a failure. */
const stopOf = ({ status, error }: WorkflowStatus): string =>
  failureText(error ?? new Error(`the workflow is ${status}; it was changed in DBOS`));

/** An instance with what its steps did. */
export const infoOf = (from: Seen): SagaInfo => {
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
