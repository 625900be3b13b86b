import { failureText, newBranch, sagaTimeout, type SleepStep, type WaitStep } from "@framework/saga/feature";
import { runAttempts } from "./attempts.ts";
import type { Script } from "./effect.ts";
import { fail, leave } from "./leave.ts";
import { handle, now, receive } from "./letters.ts";
import type { Progress } from "./progress.ts";

/** Does the step where the saga is. */
export const goForward = function* (saga: Progress): Script<void> {
  const { position } = saga.saga;
  if (saga.remainingMs <= 0) {
    const late = sagaTimeout(`the saga "${saga.saga.name}"`, saga.limits.timeoutMs);
    return fail(saga, null, failureText(late));
  }
  const step = saga.definition.steps[position];
  const isAsked = position !== saga.arrivedAt && (step?.conditions.length ?? 0) > 0;
  if (step === undefined || isAsked) return yield* leave(saga, { position, step: null, done: [] });
  if (step.kind === "wait") return yield* wait(saga, step);
  if (step.kind === "sleep") return yield* sleep(saga, step);
  if (step.kind === "pivot") return yield* leave(saga, { position, step: null, done: [] });
  yield* runAttempts(saga, step);
};

/** Takes the message of a wait, when it is there or when it comes. */
const wait = function* (saga: Progress, step: WaitStep): Script<void> {
  const first = saga.take(step.name);
  if (first !== null) return yield* received(saga, step, first);
  const isOver = yield* stand(saga, step, step.timeoutMs);
  if (!isOver) return;
  const data = saga.take(step.name);
  if (data !== null) return yield* received(saga, step, data);
  fail(saga, step.name, failureText(sagaTimeout(`the wait for "${step.name}"`, step.timeoutMs)));
};

const received = function* (saga: Progress, step: WaitStep, output: string): Script<void> {
  const { position } = saga.saga;
  const done = { ...newBranch(position, ""), status: "done", output } as const;
  yield* leave(saga, { position: position + 1, step: step.name, done: [done] });
};

const sleep = function* (saga: Progress, step: SleepStep): Script<void> {
  if (!(yield* stand(saga, step, step.ms))) return;
  yield* leave(saga, { position: saga.saga.position + 1, step: step.name, done: [] });
};

/** Waits until the time is over or the message is there. Returns `false` when an operator has changed the saga meanwhile. */
const stand = function* (saga: Progress, step: WaitStep | SleepStep, ms: number): Script<boolean> {
  const message = step.kind === "wait" ? step.name : null;
  saga.change({ event: "wait", step: null, note: step.name, wait: { message, ms } });
  const until = (yield* now(saga, `${step.name} begins`)) + ms;
  saga.waitUntil(until);
  for (let letter = yield* receive(until); letter !== null; letter = yield* receive(until)) {
    handle(saga, letter);
    if (saga.saga.status !== "waiting") return false;
    if (letter.kind === "message" && letter.name === message) return true;
  }
  return true;
};
