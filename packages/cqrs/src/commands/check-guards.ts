import { type Logger, type Middleware, verifyGuards } from "@framework/core";
import { mapAwaitable } from "@framework/core/feature";
import type { CommandOutcome, CommandRun } from "./command-run.ts";

/** Lets callers pass whom the guards of the command allow. */
export const checkGuards = (log: () => Logger): Middleware<CommandRun, CommandOutcome> =>
  function checkGuards(run, next) {
    const { command, call } = run;
    if (call.isAllowed || command.guards.length === 0) return next(run);
    return mapAwaitable(verifyGuards(command.guards, call.invocation, { log: log() }), () => next(run));
  };
