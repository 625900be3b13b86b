import type { Transaction } from "@framework/database";
import type { SleepStep, WaitStep } from "../definition/step.ts";
import { hasMessage } from "../messages/inbox.ts";
import type { Change } from "../store/change.ts";
import { type BranchState, type Instance, withBranches } from "../store/instance.ts";
import { arriveAt, intents } from "./arrive.ts";
import { failureText, type SagaRun } from "./saga-run.ts";

/** A finished step, and the position from which to continue. */
export interface FinishedStep {
  /** Index of the first step that may be next. */
  readonly position: number;
  /** Name of the finished step; `null` for none. */
  readonly step: string | null;
  readonly done: readonly BranchState[];
}

/** The changed instance, and whether the run continues. */
export interface StepEnd {
  readonly saga: Instance;
  readonly continues: boolean;
}

/** Records in one transaction that a step has ended, and the intents or the wait of the next step, or the end of the saga. */
export const finishStep = async (
  run: SagaRun,
  tx: Transaction,
  { position, step, done }: FinishedStep,
): Promise<StepEnd> => {
  const { saga, definition, claim, parts } = run;
  const arrival = arriveAt(definition, { ...saga, branches: withBranches(saga.branches, done) }, position);
  const base = {
    step,
    position: arrival.position,
    isFinal: arrival.isFinal,
    branches: [...done, ...arrival.skipped],
    wait: null,
  };
  const end = async (change: Change, delayMs?: number): Promise<StepEnd> => {
    const changed = await run.change(tx, change);
    await (delayMs === undefined ? claim.end(tx) : claim.again(tx, delayMs));
    return { saga: changed, continues: false };
  };
  if (arrival.problem !== undefined) {
    const problem = `a condition of "${arrival.step?.name}"`;
    return await end({ ...base, event: "pause", note: problem, error: failureText(arrival.problem) });
  }
  const nextStep = arrival.step;
  if (nextStep === null) return await end({ ...base, event: "finish" });
  if (nextStep.kind === "sleep") return await end(waitChange(base, nextStep, null), nextStep.ms);
  if (nextStep.kind === "wait") {
    await parts.store.load(tx, saga.id, { lock: true }); // messages delivered after this lock find the saga waiting
    if (!(await hasMessage(tx, saga.id, nextStep.name)))
      return await end(waitChange(base, nextStep, nextStep.name), nextStep.timeoutMs);
  }
  const branches = [...base.branches, ...intents(nextStep, arrival.position)];
  return { saga: await run.change(tx, { ...base, event: "advance", branches }), continues: true };
};

const waitChange = (
  base: Omit<Change, "event">,
  nextStep: WaitStep | SleepStep,
  message: string | null,
): Change => ({
  ...base,
  event: "wait",
  note: nextStep.name,
  wait: { message, ms: nextStep.kind === "wait" ? nextStep.timeoutMs : nextStep.ms },
});

/** Finishes a step in a separate transaction. */
export const commitStepEnd = async (run: SagaRun, finished: FinishedStep): Promise<boolean> => {
  const { saga, continues } = await run.parts.transaction((tx) => finishStep(run, tx, finished));
  run.saga = saga;
  return continues;
};
