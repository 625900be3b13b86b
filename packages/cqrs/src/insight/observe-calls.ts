import type { Logger } from "@framework/core";
import type { HostInsight, OperationControl, Operations } from "@framework/core/feature";
import type { AnyOperation } from "../definitions/operation.ts";
import type { FailureKind } from "../failures/failure-kind.ts";
import type { FailureObservers } from "./observers.ts";
import type { OperationCounts } from "./operation-counts.ts";

/** How a call ended, for those who observe it. */
export type CallEnd =
  | { readonly ok: true; readonly isReplay: boolean }
  | { readonly ok: false; readonly kind: FailureKind; readonly error: Error };

/** What observing needs. */
export interface CallInsight {
  readonly operations: Operations<AnyOperation>;
  readonly counts: OperationCounts;
  readonly observers: FailureObservers;
  readonly log: () => Logger;
}

/** Defines the operations of one kind for traces: commands or queries. */
export const callOperations = (insight: HostInsight, kind: AnyOperation["kind"]): Operations<AnyOperation> =>
  insight.operation<AnyOperation>({ kind, role: "internal", describe: ({ name }) => ({ name }) });

/** Runs a call as an operation of the app, which traces and metrics show. */
export const traced = async <E extends CallEnd>(
  { operations }: CallInsight,
  operation: AnyOperation,
  work: () => Promise<E>,
): Promise<E> => {
  const control: OperationControl | null = operations.begin(operation);
  if (control === null) return work();
  const end = await control.within(work);
  if (!end.ok) control.fail(end.error);
  control.end({ "cqrs.outcome": outcomeOf(end) });
  return end;
};

/** Counts the end of a call; a failure is passed to the observers, and logged unless the caller can see its reason. */
export const recordEnd = (
  { counts, observers, log }: CallInsight,
  operation: AnyOperation,
  end: CallEnd,
  attempts: number,
): void => {
  counts.count(operation.name, outcomeOf(end));
  if (end.ok) return;
  const { kind, error } = end;
  const what = `${operation.kind} ${operation.name}`;
  if (kind === "bug") log().error(`cqrs: ${what} failed: ${error.message}`, { error, attempts });
  else if (kind !== "rejection") log().warn(`cqrs: ${what} failed: ${error.message}`, { error, attempts });
  observers.notify({ kind, error, operation, attempts });
};

const outcomeOf = (end: CallEnd): FailureKind | "success" | "replay" => {
  if (!end.ok) return end.kind;
  return end.isReplay ? "replay" : "success";
};
