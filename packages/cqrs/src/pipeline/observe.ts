import type { Invocation, Logger, Middleware } from "@framework/core";
import type { HostInsight, Operations } from "@framework/core/feature";
import type { AnyOperation } from "../definitions/operation.ts";
import type { FailureObservers } from "../insight/observers.ts";
import type { CallOutcome, OperationCounts } from "../insight/operation-counts.ts";
import type { Deadline } from "../time/deadline.ts";
import type { AnyRun } from "./operation-run.ts";
import type { Outcome } from "./outcome.ts";

/** A call, for traces. */
export interface ObservedCall {
  readonly operation: AnyOperation;
  readonly invocation: Invocation;
}

/** Dependencies of `trace` and `record`. */
export interface CallInsight {
  readonly operations: Operations<ObservedCall>;
  readonly counts: OperationCounts;
  readonly observers: FailureObservers;
  readonly log: () => Logger;
}

/** Defines the operations of one kind for traces: commands or queries. */
export const callOperations = (insight: HostInsight, kind: AnyOperation["kind"]): Operations<ObservedCall> =>
  insight.operation<ObservedCall>({
    kind,
    role: "internal",
    describe: ({ operation, invocation }) => ({ name: operation.name, subject: invocation }),
  });

/** Reports a call as an operation of the app, for traces and metrics. */
export const trace = <Run extends AnyRun>({ operations }: CallInsight): Middleware<Run, Outcome> =>
  async function trace(run, next) {
    const { operation, call } = run;
    const control = operations.begin({ operation, invocation: call.invocation });
    if (control === null) return next(run);
    const outcome = await control.within(() => next(run));
    if (!outcome.ok) control.fail(outcome.error);
    control.end({ "cqrs.outcome": nameOf(outcome) });
    return outcome;
  };

/** Counts a call. Passes a failure to the observers, and logs it unless it is a rejection, whose reason the caller gets. */
export const record = <Run extends AnyRun>({
  counts,
  observers,
  log,
}: CallInsight): Middleware<Run, Outcome> =>
  async function record(run, next) {
    const outcome = withoutAbort(await next(run), run.call.deadline);
    const { operation, attempts } = run;
    counts.count(operation.name, nameOf(outcome));
    if (outcome.ok) return outcome;
    const { kind, error } = outcome;
    const message = `cqrs: ${operation.kind} ${operation.name} failed: ${error.message}`;
    if (kind === "bug") log().error(message, { error, attempts });
    else if (kind !== "rejection") log().warn(message, { error, attempts });
    observers.notify({ kind, error, operation, attempts });
    return outcome;
  };

/** The reason with which a caller aborts may be any value: it is no bug of the program. */
const withoutAbort = (outcome: Outcome, { signal }: Pick<Deadline, "signal">): Outcome => {
  if (outcome.ok || outcome.kind !== "bug" || !signal.aborted) return outcome;
  const { error } = outcome;
  const isReason =
    error === signal.reason || (!Error.isError(signal.reason) && error.cause === signal.reason);
  return isReason ? { ...outcome, kind: "transient" } : outcome;
};

const nameOf = (outcome: Outcome): CallOutcome => {
  if (!outcome.ok) return outcome.kind;
  return outcome.isReplay ? "replay" : "success";
};
