import type { Transaction } from "@framework/database";
import type { SleepStep, WaitStep } from "../definition/step.ts";
import { hasMessage } from "../messages/inbox.ts";
import type { Change } from "../store/change.ts";
import { type BranchState, type Instance, withBranches } from "../store/instance.ts";
import { arriveAt, intents } from "./arrive.ts";
import { failureText, type SagaRun } from "./saga-run.ts";

/** A step that is over, and where to go on. */
export interface Leaving {
  /** First step that may be next. */
  readonly position: number;
  /** Name of the step that is over; `null` when none is. */
  readonly step: string | null;
  readonly done: readonly BranchState[];
}

/** What a departure writes, and how the turn goes on. */
export interface Departure {
  readonly saga: Instance;
  readonly goesOn: boolean;
}

/** Records the end of a step and arrives at the next one, all in one transaction: its intents, its wait, or the end of the saga. */
export const leave = async (
  run: SagaRun,
  tx: Transaction,
  { position, step, done }: Leaving,
): Promise<Departure> => {
  const { saga, definition, turn, parts } = run;
  const arrival = arriveAt(definition, { ...saga, branches: withBranches(saga.branches, done) }, position);
  const base = {
    step,
    position: arrival.position,
    isFinal: arrival.isFinal,
    branches: [...done, ...arrival.skipped],
    wait: null,
  };
  const end = async (change: Change, delayMs?: number): Promise<Departure> => {
    const changed = await run.change(tx, change);
    await (delayMs === undefined ? turn.end(tx) : turn.again(tx, delayMs));
    return { saga: changed, goesOn: false };
  };
  if (arrival.problem !== undefined) {
    const problem = `a condition of "${arrival.step?.name}"`;
    return await end({ ...base, event: "pause", note: problem, error: failureText(arrival.problem) });
  }
  const next = arrival.step;
  if (next === null) return await end({ ...base, event: "finish" });
  if (next.kind === "sleep") return await end(waiting(base, next, null), next.ms);
  if (next.kind === "wait") {
    await parts.store.load(tx, saga.id, { lock: true }); // a message that arrives from now on finds the saga waiting
    if (!(await hasMessage(tx, saga.id, next.name)))
      return await end(waiting(base, next, next.name), next.timeoutMs);
  }
  const branches = [...base.branches, ...intents(next, arrival.position)];
  return { saga: await run.change(tx, { ...base, event: "advance", branches }), goesOn: true };
};

const waiting = (
  base: Omit<Change, "event">,
  next: WaitStep | SleepStep,
  message: string | null,
): Change => ({
  ...base,
  event: "wait",
  note: next.name,
  wait: { message, ms: next.kind === "wait" ? next.timeoutMs : next.ms },
});

/** Leaves a step in a transaction of its own. */
export const commitLeave = async (run: SagaRun, leaving: Leaving): Promise<boolean> => {
  const { saga, goesOn } = await run.parts.transaction((tx) => leave(run, tx, leaving));
  run.saga = saga;
  return goesOn;
};
