import { decisionChange, valueIn } from "@framework/saga/feature";
import type { SagaInput, Script } from "./effect.ts";
import type { Progress } from "./progress.ts";

/** Deadline of a wait without a timeout. */
const noDeadline = Infinity;

/** Handles the inputs that have arrived, such as a cancellation. */
export const readInputs = function* (saga: Progress): Script<void> {
  for (let input = yield* receive(0); input !== null; input = yield* receive(0)) handle(saga, input);
};

/** Waits for the decision of an operator about a paused or stuck saga. */
export const waitForOperator = function* (saga: Progress): Script<void> {
  const { status } = saga.saga;
  while (saga.saga.status === status) {
    const input = yield* receive(noDeadline);
    if (input !== null) handle(saga, input);
  }
};

/** Waits for `ms`, or until an operator changes the saga. Returns whether the time has elapsed. */
export const pause = function* (saga: Progress, ms: number): Script<boolean> {
  const { status } = saga.saga;
  const until = (yield* now(saga, "now")) + ms;
  for (let input = yield* receive(until); input !== null; input = yield* receive(until)) {
    handle(saga, input);
    if (saga.saga.status !== status) return false;
  }
  return true;
};

/** Returns the current time, as recorded in the first run of the script. */
export const now = function* (saga: Progress, name: string): Script<number> {
  return (yield { kind: "now", name: saga.nextEffectName(name) }) as number;
};

/** Receives the next input; `null` on timeout. */
export const receive = function* (until: number): Script<SagaInput | null> {
  return (yield { kind: "receive", until }) as SagaInput | null;
};

/**
 * Stores a message, or applies an operator's decision. A decision about an outdated state has no effect, except `cancel`, which applies if the
 * current state allows it.
 */
export const handle = (saga: Progress, input: SagaInput): void => {
  if (input.kind === "message") {
    saga.inbox.push(input);
    return;
  }
  const { verb, reason: note, output, revision } = input;
  if (verb !== "cancel" && revision !== saga.saga.revision) return;
  try {
    const change = decisionChange(saga.definition, saga.saga, verb, valueIn(output));
    saga.change({ ...change, event: verb, note, wait: null });
  } catch {
    return; // the state has changed since the decision and no longer allows it
  }
  saga.undoMs = 0;
  saga.losses = 0;
};
