import { FrameworkError, type Middleware } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import { delay } from "../time/or-aborted.ts";
import type { Failure, Outcome } from "../pipeline/outcome.ts";
import { copyOf } from "./copy-of.ts";
import type { CommandRun } from "./command-run.ts";

/** First pauses, which double, with jitter: short after a conflict, longer after a lost connection. */
const CONFLICT_PAUSE_MS = 5;
const UNKNOWN_PAUSE_MS = 100;

/** Options of `retryConflicts`. */
export interface RetryConflictsOptions {
  readonly maxRetries: number;
  readonly clock: Clock;
  /** Returns a number from 0 to 1, exclusive. */
  readonly random: () => number;
  /** Called before each retry. */
  readonly onRetry: () => void;
}

/**
 * Retries a command after a conflict, in a new transaction and with a copy of the validated input. A call with an idempotency key is also retried if the outcome
 * of its commit is unknown: the key shows whether that attempt was committed.
 */
export const retryConflicts = ({
  maxRetries,
  clock,
  random,
  onRetry,
}: RetryConflictsOptions): Middleware<CommandRun, Outcome> =>
  async function retryConflicts(run, next) {
    const original = maxRetries > 0 ? copyOf(run.input) : undefined; // a handler may mutate its input
    for (let retries = 0; ; retries++) {
      const outcome = await next(run);
      if (outcome.ok) return outcome;
      if (isUnknownCommit(outcome.error)) run.unknown = outcome.error;
      if (retries >= maxRetries || !mayRetry(run, outcome)) return outcome;
      const pauseMs = run.unknown === null ? CONFLICT_PAUSE_MS : UNKNOWN_PAUSE_MS;
      await delay(clock, pauseMs * 2 ** retries * (0.5 + random()), run.signal);
      onRetry();
      run.input = retries + 1 < maxRetries ? copyOf(original) : original;
    }
  };

const mayRetry = (run: CommandRun, { kind, error }: Failure): boolean => {
  if (run.signal.aborted) return false;
  if (run.unknown === null) return kind === "conflict";
  // The key stays in use until the attempt with the unknown outcome has ended on the server.
  return run.claim !== null && (kind === "transient" || codeOf(error) === "CQRS_KEY_RUNNING");
};

const isUnknownCommit = (error: Error): boolean => codeOf(error) === "DATABASE_COMMIT_UNKNOWN";

const codeOf = (error: Error): string | null => (FrameworkError.is(error) ? error.code : null);
