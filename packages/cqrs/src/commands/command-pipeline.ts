import type { Handler, Logger, Middleware } from "@framework/core";
import { type Clock, compose, type HostState } from "@framework/core/feature";
import type { Kernel } from "@framework/durable/feature";
import type { StoredResults } from "../idempotency/stored-results.ts";
import { type CallInsight, recordEnd, traced } from "../insight/observe-calls.ts";
import { MAX_LANE } from "../limits.ts";
import { callHandler } from "./call-handler.ts";
import { checkGuards } from "./check-guards.ts";
import { claimKey } from "./claim-key.ts";
import type { CommandAttempt, CommandOutcome, CommandRun } from "./command-run.ts";
import { inLane, lockLane } from "./in-lane.ts";
import { inTransaction } from "./in-transaction.ts";
import { KeyedLanes } from "./keyed-lanes.ts";
import { limitTime } from "./limit-time.ts";
import { requireKey } from "./require-key.ts";
import { rescue } from "./rescue.ts";
import { retryConflicts } from "./retry-conflicts.ts";
import { validateInput, validateOutput } from "./validate-command.ts";

/** What the pipeline of commands is built on. */
export interface CommandPipelineParts {
  readonly kernel: Kernel;
  readonly results: StoredResults;
  readonly state: Pick<HostState, "invoke">;
  readonly insight: CallInsight;
  readonly callerOf: (run: CommandRun) => string;
  readonly log: () => Logger;
  readonly clock: Clock;
  readonly random: () => number;
  readonly maxRetries: number;
  /** Called after each commit. */
  readonly committed: () => void;
}

/**
 * The way of a command, outermost first. Each level is a middleware whose errors become failed outcomes where they are thrown; those from `claimKey` on run
 * in the transaction.
 */
export const commandPipeline = (parts: CommandPipelineParts): Handler<CommandRun, CommandOutcome> => {
  const { kernel, insight, log, clock, random, maxRetries } = parts;
  const retried = (): void => void insight.counts.retries++;
  const perform = compose<CommandAttempt, CommandOutcome>(
    [claimKey(parts.results), lockLane(kernel), validateOutput],
    callHandler(parts.state),
    rescue,
  );
  return compose<CommandRun, CommandOutcome>(
    [
      trace(insight),
      record(insight),
      checkGuards(log),
      validateInput,
      requireKey(new Set(), parts.callerOf),
      limitTime,
      retryConflicts({ maxRetries, clock, random, retried }),
      inLane(new KeyedLanes(MAX_LANE)),
    ],
    inTransaction(kernel, perform, parts.committed),
    rescue,
  );
};

const trace = (insight: CallInsight): Middleware<CommandRun, CommandOutcome> =>
  function trace(run, next) {
    return traced(insight, run.command, async () => next(run));
  };

const record = (insight: CallInsight): Middleware<CommandRun, CommandOutcome> =>
  async function record(run, next) {
    const outcome = await next(run);
    recordEnd(insight, run.command, outcome, run.attempts);
    return outcome;
  };
