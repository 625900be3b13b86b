import { type Logger, type Middleware, verifyGuards } from "@framework/core";
import { mapAwaitable } from "@framework/core/feature";
import type { AnyRun } from "./operation-run.ts";
import type { Outcome } from "./outcome.ts";

/** Checks the guards of the command or query, unless the call skips them. @throws the errors of `verifyGuards` */
export const checkGuards = <Run extends AnyRun>(log: () => Logger): Middleware<Run, Outcome> =>
  function checkGuards(run, next) {
    const { operation, call } = run;
    if (call.skipGuards || operation.guards.length === 0) return next(run);
    return mapAwaitable(verifyGuards(operation.guards, call.invocation, { log: log() }), () => next(run));
  };
