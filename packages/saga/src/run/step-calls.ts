import type { Awaitable, Injections } from "@framework/core";
import type { Transaction } from "@framework/database";
import type { StepContext } from "../definition/context.ts";
import type { Branch, Step } from "../definition/step.ts";

/** A call of one of a step's functions. */
export interface StepCall {
  /** Name of the saga. */
  readonly saga: string;
  /** The step to run, undo or check. */
  readonly step: Pick<Step, "name">;
  /** The work of the step. */
  readonly branch: Branch;
  /** Context of the call. */
  readonly context: StepContext;
}

/** Resolves the dependencies of steps: each call is an invocation with its own scope. */
export interface StepScopes {
  /** Checks a step's dependencies when the app starts. @param label labels the step in messages */
  check(label: string, inject: Injections): void;
  /** Resolves the step's dependencies and calls `work` with them. `Depends` works until its first `await`; the values live until it has ended. */
  invoke<T>(call: StepCall, work: (dependencies: never) => Awaitable<T>): Awaitable<T>;
}

/** Scopes of a runner outside an app, without dependencies. */
export const noScopes: StepScopes = {
  check() {},
  invoke: (_call, work) => work(undefined as never),
};

/** Does the work of a step and returns its output. @param tx the transaction of a `tx` step, otherwise `null` */
export const doStep = (scopes: StepScopes, call: StepCall, tx: Transaction | null): Awaitable<unknown> => {
  const { run } = call.branch;
  const context = call.context as never;
  return scopes.invoke(call, (dependencies) =>
    tx === null ? run(context, dependencies) : run(context, tx as never, dependencies),
  );
};

/** Undoes the work of a step. @param output `undefined` if it is unknown whether the step took effect */
export const undoStep = async (
  scopes: StepScopes,
  call: StepCall,
  output: unknown,
  tx: Transaction | null,
): Promise<void> => {
  const { undo } = call.branch;
  if (undo === null) return;
  const [context, known] = [call.context as never, output as never];
  await scopes.invoke(call, (dependencies) =>
    tx === null ? undo(context, known, dependencies) : undo(context, known, tx as never, dependencies),
  );
};

/** Calls `check`, which finds out whether a call with an unknown outcome took effect. */
export const checkStep = (
  scopes: StepScopes,
  call: StepCall,
  check: NonNullable<Branch["check"]>,
): Awaitable<{ readonly output: unknown } | null> =>
  scopes.invoke(call, (dependencies) => check(call.context as never, dependencies));
