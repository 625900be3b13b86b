import type { Handler, Logger } from "@framework/core";
import { type Clock, compose } from "@framework/core/feature";
import type { Kernel } from "@framework/durable/feature";
import type { StoredResults } from "../idempotency/stored-results.ts";
import { MAX_LANE } from "../limits.ts";
import { checkGuards } from "../pipeline/check-guards.ts";
import { type CallInsight, record, trace } from "../pipeline/observe.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { rescue } from "../pipeline/rescue.ts";
import { validateInput } from "../pipeline/validate-input.ts";
import { publish, type PublishParts } from "./publish.ts";
import { completeItem } from "./complete-item.ts";
import { callHandler, type CallHandlerParts } from "./call-handler.ts";
import { claimKey } from "./claim-key.ts";
import type { CommandAttempt, CommandRun } from "./command-run.ts";
import { inLane, lockLane } from "./in-lane.ts";
import { inTransaction } from "./in-transaction.ts";
import { KeyedLanes } from "./keyed-lanes.ts";
import { limitTime } from "./limit-time.ts";
import { requireKey } from "./require-key.ts";
import { retryConflicts } from "./retry-conflicts.ts";
import { validateOutput } from "./validate-output.ts";

/** Dependencies of `commandPipeline`. */
export interface CommandPipelineParts extends CallHandlerParts, PublishParts {
  readonly kernel: Kernel;
  readonly results: StoredResults;
  readonly insight: CallInsight;
  readonly callerOf: (run: CommandRun) => string;
  readonly log: () => Logger;
  readonly clock: Clock;
  readonly random: () => number;
  readonly maxRetries: number;
  /** Called after each commit, including one with an unknown outcome. */
  readonly onCommit: () => void;
}

/**
 * Creates the pipeline of a command, outermost middleware first. Errors of each middleware become failed outcomes; the middleware from `claimKey` on runs in the
 * transaction.
 */
export const commandPipeline = (parts: CommandPipelineParts): Handler<CommandRun, Outcome> => {
  const { kernel, insight, log, clock, random, maxRetries } = parts;
  const onRetry = (): void => void insight.counts.retries++;
  const perform = compose<CommandAttempt, Outcome>(
    [claimKey(parts.results), lockLane(kernel), completeItem, validateOutput],
    callHandler(parts),
    rescue,
  );
  return compose<CommandRun, Outcome>(
    [
      trace(insight),
      record(insight),
      checkGuards(log),
      validateInput(),
      requireKey(new Set(), parts.callerOf),
      limitTime,
      publish(parts),
      retryConflicts({ maxRetries, clock, random, onRetry }),
      inLane(new KeyedLanes(MAX_LANE)),
    ],
    inTransaction(kernel, perform, parts.onCommit),
    rescue,
  );
};
