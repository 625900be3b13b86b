import { FrameworkError, type Logger } from "@framework/core";
import type { Clock, HealthCheck } from "@framework/core/feature";
import { errorText, type Outcome, plainDetails } from "./outcome.ts";

/** Time that a reply waits for a check, from the start of its run. */
export const REPLY_TIMEOUT_MS = 1000;
/** Maximum pause before the next run while earlier runs hang. */
const MAX_PAUSE_MS = 60_000;

/** Options of a watched check. */
export interface WatchOptions {
  readonly clock: Clock;
  /** Default timeout of a run in milliseconds. */
  readonly timeoutMs: number;
  /** Milliseconds for which an outcome is reused. */
  readonly cacheMs: number;
  readonly log: Logger;
}

/**
 * One check, whose concurrent callers share one run.
 *
 * A caller gets an outcome at most 1 s after the run began. The run continues until its own timeout, when its signal aborts. A run that does not end
 * then is abandoned, and the next run begins after a pause that doubles up to a minute, which bounds the number of hanging runs.
 */
export class WatchedCheck {
  readonly check: HealthCheck;
  /** The last outcome, `null` before the first. */
  last: Outcome | null = null;
  private readonly options: WatchOptions;
  private readonly timeoutMs: number;
  private current: Promise<Outcome> | null = null;
  private freshUntil = -Infinity;
  /** Earliest start of the next run while an earlier one hangs. */
  private pausedUntil = -Infinity;
  /** Abandoned runs that have not ended. */
  private abandoned = 0;

  constructor(check: HealthCheck, options: WatchOptions) {
    this.check = check;
    this.options = options;
    this.timeoutMs = check.timeoutSecs === undefined ? options.timeoutMs : check.timeoutSecs * 1000;
  }

  /** Returns the outcome of the current run, the last outcome while it may be reused, or the outcome of a new run. */
  async getOutcome(): Promise<Outcome> {
    if (this.current !== null) return this.current;
    const now = this.options.clock.now();
    const isReusable = now < this.freshUntil || (this.abandoned > 0 && now < this.pausedUntil);
    if (this.last !== null && isReusable) return this.last;
    return this.run();
  }

  private run(): Promise<Outcome> {
    const { clock } = this.options;
    const startMs = clock.now();
    const aborter = new AbortController();
    const reported = Promise.withResolvers<Outcome>();
    const timed = (outcome: Pick<Outcome, "ok" | "message" | "error" | "details">): Outcome => ({
      ...outcome,
      durationMs: Math.round(clock.now() - startMs),
      at: clock.date(),
    });
    let hasEnded = false;
    const end = (outcome: Outcome): void => {
      hasEnded = true;
      for (const cancel of timers) cancel();
      this.current = null;
      this.store(outcome);
      reported.resolve(outcome);
    };
    const timers = [
      clock.after(REPLY_TIMEOUT_MS, () => reported.resolve(timed(failure("still running")))),
      clock.after(this.timeoutMs, () => {
        this.pausedUntil = clock.now() + Math.min(MAX_PAUSE_MS, this.timeoutMs * 2 ** this.abandoned);
        this.abandoned++;
        const message = `timed out after ${this.timeoutMs / 1000} s`;
        end(timed(failure(message)));
        aborter.abort(
          new FrameworkError("HEALTH_CHECK_TIMEOUT", `the health check "${this.check.name}" ${message}`),
        );
      }),
    ];
    const settle = (outcome: () => Outcome): void => {
      if (hasEnded) this.abandoned--;
      else end(outcome());
    };
    this.current = reported.promise;
    new Promise((resolve) => {
      resolve(this.check.run(aborter.signal));
    }).then(
      (value) => settle(() => timed({ ok: true, message: null, error: null, details: plainDetails(value) })),
      (error: unknown) => settle(() => timed(failure("failed", errorText(error)))),
    );
    return reported.promise;
  }

  private store(outcome: Outcome): void {
    const { clock, cacheMs, log } = this.options;
    this.freshUntil = clock.now() + cacheMs;
    const before = this.last?.ok ?? true;
    this.last = outcome;
    const fields = { check: this.check.name, error: outcome.error };
    if (before && !outcome.ok) log.warn(`health check "${this.check.name}" ${outcome.message}`, fields);
    else if (!before && outcome.ok) log.info(`health check "${this.check.name}" passes again`, fields);
  }
}

const failure = (message: string, error: string | null = null) => ({
  ok: false,
  message,
  error,
  details: null,
});
