import { failureText, newBranch, sagaTimeout, type SleepStep, type WaitStep } from "@framework/saga/feature";
import { runAttempts } from "./attempts.ts";
import type { Script } from "./effect.ts";
import { fail, finishStep } from "./finish-step.ts";
import { handle, now, receive } from "./inputs.ts";
import type { Progress } from "./progress.ts";

/** Runs the current step. */
export const runNext = function* (saga: Progress): Script<void> {
  const { position } = saga.saga;
  if (saga.remainingMs <= 0) {
    const timeout = sagaTimeout(`the saga "${saga.saga.name}"`, saga.limits.timeoutMs);
    return fail(saga, null, failureText(timeout));
  }
  const step = saga.definition.steps[position];
  const needsConditions = position !== saga.arrivedAt && (step?.conditions.length ?? 0) > 0;
  if (step === undefined || needsConditions)
    return yield* finishStep(saga, { position, step: null, done: [] });
  if (step.kind === "wait") return yield* wait(saga, step);
  if (step.kind === "sleep") return yield* sleep(saga, step);
  if (step.kind === "pivot") return yield* finishStep(saga, { position, step: null, done: [] });
  yield* runAttempts(saga, step);
};

/** Consumes the message of a wait, once it has arrived. */
const wait = function* (saga: Progress, step: WaitStep): Script<void> {
  const first = saga.take(step.name);
  if (first !== null) return yield* finishWait(saga, step, first);
  const isDue = yield* waitUntilDue(saga, step, step.timeoutMs);
  if (!isDue) return;
  const data = saga.take(step.name);
  if (data !== null) return yield* finishWait(saga, step, data);
  fail(saga, step.name, failureText(sagaTimeout(`the wait for "${step.name}"`, step.timeoutMs)));
};

const finishWait = function* (saga: Progress, step: WaitStep, output: string): Script<void> {
  const { position } = saga.saga;
  const done = { ...newBranch(position, ""), status: "done", output } as const;
  yield* finishStep(saga, { position: position + 1, step: step.name, done: [done] });
};

const sleep = function* (saga: Progress, step: SleepStep): Script<void> {
  if (!(yield* waitUntilDue(saga, step, step.ms))) return;
  yield* finishStep(saga, { position: saga.saga.position + 1, step: step.name, done: [] });
};

/** Waits until the time has elapsed or the message arrives. Returns `false` if an operator has changed the saga meanwhile. */
const waitUntilDue = function* (saga: Progress, step: WaitStep | SleepStep, ms: number): Script<boolean> {
  const message = step.kind === "wait" ? step.name : null;
  saga.change({ event: "wait", step: null, note: step.name, wait: { message, ms } });
  const until = (yield* now(saga, `${step.name} begins`)) + ms;
  saga.waitUntil(until);
  for (let input = yield* receive(until); input !== null; input = yield* receive(until)) {
    handle(saga, input);
    if (saga.saga.status !== "waiting") return false;
    if (input.kind === "message" && input.name === message) return true;
  }
  return true;
};
