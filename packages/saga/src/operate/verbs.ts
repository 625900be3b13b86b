import type { Transaction } from "@framework/database";
import type { AnySaga } from "../definition/definition.ts";
import type { SagaRegistry } from "../definition/registry.ts";
import { branchesOf } from "../definition/step.ts";
import { notPossible } from "../errors/saga-errors.ts";
import { hasUnknownOutcome, newBranch, skippedBranches } from "../run/arrive.ts";
import { stepLabel } from "../run/saga-run.ts";
import { undoPlan } from "../run/undo-plan.ts";
import type { Change } from "../store/change.ts";
import { type BranchState, branchAt, type Instance } from "../store/instance.ts";
import { jsonValue } from "../store/json-value.ts";
import type { SagaStore } from "../store/saga-store.ts";
import type { RunQueue } from "../run-queue/run-queue.ts";

/** An operator's decision about a saga. `settle`: the step or undo was done by other means. */
export type Verb = "cancel" | "retry" | "skip" | "settle";

/** Details of an operator's decision. */
export interface Decision {
  /** Reason, for the timeline: 1 to 2,000 characters. */
  readonly reason: string;
  /** For `settle` of a paused saga: output of the only unfinished branch of the step. @default none */
  readonly output?: unknown;
}

/** Dependencies of `decide`. */
export interface VerbParts {
  readonly store: SagaStore;
  readonly queue: RunQueue;
  readonly registry: SagaRegistry;
}

const MAX_REASON = 2000;

/**
 * Applies a decision and schedules a run. Returns `false` for an unknown id.
 *
 * @throws HttpError 409 if the state does not allow the decision, the reason is invalid, or this process does not define the version; SAGA_BAD_VALUE for an
 * invalid output
 */
export const decide = async (
  parts: VerbParts,
  tx: Transaction,
  id: string,
  verb: Verb,
  decision: Decision,
): Promise<boolean> => {
  const { reason, output } = (decision as Decision | undefined) ?? { reason: "" };
  const saga = await parts.store.load(tx, id, { lock: true });
  if (saga === null) return false;
  const note = checkedReason(reason);
  const { name, version } = saga;
  if (!parts.registry.has(name, version))
    throw notPossible(
      `This process does not define "${name}" version ${version}; decide in a process that does`,
    );
  const definition = parts.registry.get(name, version);
  await parts.store.change(tx, saga, {
    ...decisionChange(definition, saga, verb, output),
    event: verb,
    note,
    wait: null,
  });
  const { queue } = parts;
  if (verb === "cancel" && mayBeInCall(saga)) await queue.interrupt(tx, saga);
  else await queue.replace(tx, saga);
  return true;
};

const mayBeInCall = ({ status }: Instance): boolean => status === "ready" || status === "running";

/** Returns the reason in its stored form. @throws HttpError 409 if it is empty or too long */
export const checkedReason = (reason: string): string => {
  if (typeof reason === "string" && reason.length >= 1 && reason.length <= MAX_REASON)
    return reason.replaceAll("\0", "").toWellFormed();
  throw notPossible(`Give a reason of 1 to ${MAX_REASON} characters`);
};

/** Returns the change for a decision. @throws HttpError 409 if the state does not allow it; SAGA_BAD_VALUE for an invalid output */
export const decisionChange = (
  definition: AnySaga,
  saga: Instance,
  verb: Verb,
  output: unknown,
): Omit<Change, "event"> => {
  if (verb === "cancel") return cancelChange(saga);
  if (saga.status === "paused") return changeAtStep(saga, definition.steps[saga.position], verb, output);
  if (saga.status !== "stuck")
    throw notPossible(
      `Only a saga that is paused or stuck can be continued by ${verb}, and this one is ${saga.status}`,
    );
  const [first] = undoPlan(definition, saga);
  if (first === undefined) return {};
  const { step, branch, state } = first;
  const status = verb === "retry" ? state.status : verb === "skip" ? "skipped" : "undone";
  return { step: stepLabel(step, branch), branches: [{ ...state, status, undoAttempts: 0 }] };
};

const cancelChange = (saga: Instance): Omit<Change, "event"> => {
  const { status, isFinal } = saga;
  if (isFinal) throw notPossible("The saga has passed its pivot and cannot be undone");
  if (status === "ready" || status === "running" || status === "waiting" || status === "paused") return {};
  throw notPossible(`A saga that is ${status} cannot be cancelled`);
};

type StepAtPosition = Parameters<typeof skippedBranches>[0];

/** Returns the change that retries, skips or settles the step at which the saga is paused. */
const changeAtStep = (
  saga: Instance,
  step: StepAtPosition | undefined,
  verb: "retry" | "skip" | "settle",
  output: unknown,
): Omit<Change, "event"> => {
  if (step === undefined) return {};
  const { position } = saga;
  if (verb === "skip") {
    const skipped = skippedBranches(step, position).filter(
      ({ branch }) => branchAt(saga, position, branch)?.status !== "done",
    );
    return {
      step: step.name,
      position: position + 1,
      branches: skipped.map((each) => ({ ...branchAt(saga, position, each.branch), ...each })),
    };
  }
  const names = step.kind === "call" ? branchesOf(step).map(({ name }) => name) : [""];
  const open = names
    .map((name) => branchAt(saga, position, name) ?? newBranch(position, name))
    .filter(({ status }) => status !== "done");
  if (verb === "retry") return { step: step.name, branches: resetBranches(saga, step, open) };
  if (open.length > 1)
    throw notPossible("Several branches are open, and settle requires a single one; use retry or skip");
  const done = open.map((state): BranchState => ({
    ...state,
    status: "done",
    output: jsonValue(output, "the output"),
    error: null,
  }));
  const isFinal = saga.isFinal || step.kind === "pivot";
  return { step: step.name, position: position + 1, isFinal, branches: done };
};

/** Resets the attempts. An unknown outcome stays unknown, and the next run checks it. */
const resetBranches = (
  saga: Instance,
  step: StepAtPosition,
  open: readonly BranchState[],
): readonly BranchState[] => {
  const isUnknown = (state: BranchState): boolean =>
    branchesOf(step).some((branch) => branch.name === state.branch && hasUnknownOutcome(branch, state));
  return open
    .filter(({ position, branch }) => branchAt(saga, position, branch) !== undefined)
    .map((state) =>
      isUnknown(state) ? { ...state, attempts: 1 } : { ...state, status: "retrying", attempts: 0 },
    );
};
