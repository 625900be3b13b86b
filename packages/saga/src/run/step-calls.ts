import type { Awaitable, Injections } from "@framework/core";
import type { Transaction } from "@framework/database";
import type { StepContext } from "../definition/context.ts";
import type { Branch, Step } from "../definition/step.ts";

/** A call of one of a step's functions. */
export interface StepCall {
  /** Name of the saga. */
  readonly saga: string;
  /** The step that is done, undone or asked about. */
  readonly step: Pick<Step, "name">;
  /** The work of the step. */
  readonly branch: Branch;
  /** What the function sees of the saga. */
  readonly context: StepContext;
}

/** Where the functions of steps find their dependencies: each call is an invocation with a scope of its own. */
export interface StepScopes {
  /** Checks a step's dependencies when the app starts. @param place labels the step in messages */
  check(place: string, inject: Injections): void;
  /** Resolves the step's dependencies and calls `work` with them, `Depends` enabled until its first `await`; their values live until it has ended. */
  invoke<T>(call: StepCall, work: (dependencies: never) => Awaitable<T>): Awaitable<T>;
}

/** Scopes of a runner outside of an app, which has no dependencies. */
export const noScopes: StepScopes = {
  check() {},
  invoke: (_call, work) => work(undefined as never),
};

/** Does the work of a step, and returns its output. @param tx the transaction of a `tx` step, else `null` */
export const doStep = (scopes: StepScopes, call: StepCall, tx: Transaction | null): Awaitable<unknown> => {
  const { run } = call.branch;
  const context = call.context as never;
  return scopes.invoke(call, (dependencies) =>
    tx === null ? run(context, dependencies) : run(context, tx as never, dependencies),
  );
};

/** Undoes the work of a step. @param output `undefined` when it is unknown whether the step happened */
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

/** Asks whether a call whose outcome is unknown took effect. */
export const askStep = (
  scopes: StepScopes,
  call: StepCall,
  check: NonNullable<Branch["check"]>,
): Awaitable<{ readonly output: unknown } | null> =>
  scopes.invoke(call, (dependencies) => check(call.context as never, dependencies));
