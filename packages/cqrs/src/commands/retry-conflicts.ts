import { FrameworkError, type Middleware } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import { delay } from "../time/or-aborted.ts";
import type { Failure, Outcome } from "../pipeline/outcome.ts";
import { copyOf } from "./copy-of.ts";
import type { CommandRun } from "./command-run.ts";

/** Pauses double, with a random part: after a conflict short ones, and longer ones while a connection comes back. */
const CONFLICT_PAUSE_MS = 5;
const UNKNOWN_PAUSE_MS = 100;

/** Options of `retryConflicts`. */
export interface RetryConflictsOptions {
  readonly maxRetries: number;
  readonly clock: Clock;
  /** A number from 0 up to 1. */
  readonly random: () => number;
  /** Called before each retry. */
  readonly retried: () => void;
}

/**
 * Runs a command again, in a new transaction and with the input as it was validated, after a conflict. A call with an idempotency key also runs again when the
 * outcome of its commit is unknown: its key tells whether the first attempt was committed.
 */
export const retryConflicts = ({
  maxRetries,
  clock,
  random,
  retried,
}: RetryConflictsOptions): Middleware<CommandRun, Outcome> =>
  async function retryConflicts(run, next) {
    const kept = maxRetries > 0 ? copyOf(run.input) : undefined; // a handler may change its input
    for (let retries = 0; ; retries++) {
      const outcome = await next(run);
      if (outcome.ok) return outcome;
      if (isUnknownCommit(outcome.error)) run.unknown = outcome.error;
      if (retries >= maxRetries || !mayRetry(run, outcome)) return outcome;
      const pauseMs = run.unknown === null ? CONFLICT_PAUSE_MS : UNKNOWN_PAUSE_MS;
      await delay(clock, pauseMs * 2 ** retries * (0.5 + random()), run.signal);
      retried();
      run.input = retries + 1 < maxRetries ? copyOf(kept) : kept;
    }
  };

const mayRetry = (run: CommandRun, { kind, error }: Failure): boolean => {
  if (run.signal.aborted) return false;
  if (run.unknown === null) return kind === "conflict";
  // Until the first attempt has ended on the server, its key is in use.
  return run.claim !== null && (kind === "transient" || codeOf(error) === "CQRS_KEY_RUNNING");
};

const isUnknownCommit = (error: Error): boolean => codeOf(error) === "DATABASE_COMMIT_UNKNOWN";

const codeOf = (error: Error): string | null => (FrameworkError.is(error) ? error.code : null);
