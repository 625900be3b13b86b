import { decisionChange, valueIn } from "@framework/saga/feature";
import type { Letter, Script } from "./effect.ts";
import type { Progress } from "./progress.ts";

/** Milliseconds since 1970 that never come. */
const never = Infinity;

/** Reads the letters that are there already: an operator may have cancelled the saga. */
export const readLetters = function* (saga: Progress): Script<void> {
  for (let letter = yield* receive(0); letter !== null; letter = yield* receive(0)) handle(saga, letter);
};

/** Waits until an operator has decided about a saga that is paused or stuck. */
export const waitForOperator = function* (saga: Progress): Script<void> {
  const { status } = saga.saga;
  while (saga.saga.status === status) {
    const letter = yield* receive(never);
    if (letter !== null) handle(saga, letter);
  }
};

/** Waits for a time, or until an operator changes the saga. Returns whether the time is over. */
export const pause = function* (saga: Progress, ms: number): Script<boolean> {
  const { status } = saga.saga;
  const until = (yield* now(saga, "now")) + ms;
  for (let letter = yield* receive(until); letter !== null; letter = yield* receive(until)) {
    handle(saga, letter);
    if (saga.saga.status !== status) return false;
  }
  return true;
};

/** The time, as the first run of the script saw it. */
export const now = function* (saga: Progress, name: string): Script<number> {
  return (yield { kind: "now", name: saga.nameOf(name) }) as number;
};

/** The next letter. */
export const receive = function* (until: number): Script<Letter | null> {
  return (yield { kind: "receive", until }) as Letter | null;
};

/** Keeps a message, or does what an operator decided. A decision about a state that is over has no effect. */
export const handle = (saga: Progress, letter: Letter): void => {
  if (letter.kind === "message") {
    saga.inbox.push(letter);
    return;
  }
  const { verb, reason: note, output, revision } = letter;
  if (verb !== "cancel" && revision !== saga.saga.revision) return;
  try {
    const change = decisionChange(saga.definition, saga.saga, verb, valueIn(output));
    saga.change({ ...change, event: verb, note, wait: null });
  } catch {
    return; // it was possible when the operator looked, and is not any more
  }
  saga.undoMs = 0;
  saga.losses = 0;
};
