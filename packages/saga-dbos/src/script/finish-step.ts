import {
  type BranchState,
  type Change,
  failureText,
  intents,
  workersLost,
  MAX_LOST_WORKERS,
  skippedBranches,
  type Step,
  withBranches,
} from "@framework/saga/feature";
import type { ConditionsResult, Script } from "./effect.ts";
import type { Progress } from "./progress.ts";

/** A finished step, and the position from which to continue. */
interface FinishedStep {
  readonly position: number;
  /** Name of the finished step; `null` for none. */
  readonly step: string | null;
  readonly done: readonly BranchState[];
}

/** Finishes a step and advances to the next one whose conditions hold. */
export const finishStep = function* (saga: Progress, { position, step, done }: FinishedStep): Script<void> {
  const arrival = yield* arrive(saga, position, done);
  const base = {
    step,
    position: arrival.position,
    isFinal: arrival.isFinal,
    branches: [...done, ...arrival.skipped],
    wait: null,
  } satisfies Partial<Change>;
  if (arrival.error !== null) {
    const note = `a condition of "${arrival.step?.name}"`;
    saga.change({ ...base, event: "pause", note, error: arrival.error });
  } else if (arrival.step === null) saga.change({ ...base, event: "finish" });
  else {
    const branches = [...base.branches, ...intents(arrival.step, arrival.position)];
    saga.change({ ...base, event: "advance", branches });
    saga.arrivedAt = arrival.position;
  }
};

interface Arrival {
  readonly position: number;
  /** The step at the position; `null` after the last. */
  readonly step: Step | null;
  readonly isFinal: boolean;
  readonly skipped: readonly BranchState[];
  /** JSON of the error of a condition that threw. */
  readonly error: string | null;
}

/** Finds the first step from `position` whose conditions hold, passing pivots. */
const arrive = function* (saga: Progress, position: number, done: readonly BranchState[]): Script<Arrival> {
  const skipped: BranchState[] = [];
  let { isFinal } = saga.saga;
  for (let at = position; ; at++) {
    const step = saga.definition.steps[at] ?? null;
    const arrival = { position: at, step, isFinal, skipped, error: null };
    if (step === null) return arrival;
    const branchesSoFar = withBranches(withBranches(saga.saga.branches, done), skipped);
    const outcome = yield* evaluate(saga, step, branchesSoFar);
    if ("error" in outcome) return { ...arrival, error: outcome.error };
    if (!outcome.holds) skipped.push(...skippedBranches(step, at));
    else if (step.kind === "pivot") isFinal = true;
    else return arrival;
  }
};

type ConditionsOutcome = Exclude<ConditionsResult, { readonly isLost: true }>;

/** Evaluates conditions. The results are recorded, because the code of a condition may change while the saga is running. */
const evaluate = function* (
  saga: Progress,
  step: Step,
  branches: readonly BranchState[],
): Script<ConditionsOutcome> {
  if (step.conditions.length === 0) return { holds: true };
  for (let losses = 0; losses < MAX_LOST_WORKERS; losses++) {
    const name = saga.nextEffectName(`conditions of ${step.name}`);
    const effect = { kind: "conditions", name, step, saga: { ...saga.saga, branches } } as const;
    const result = (yield effect) as ConditionsResult;
    if (!("isLost" in result)) return result;
  }
  return { error: failureText(workersLost(MAX_LOST_WORKERS)) };
};

/** Records that the saga has failed: it is compensated, or paused after the pivot. */
export const fail = (
  saga: Progress,
  step: string | null,
  error: string,
  branches: readonly BranchState[] = [],
): void => saga.change({ event: saga.saga.isFinal ? "pause" : "fail", step, error, branches, wait: null });
