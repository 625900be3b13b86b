import { type Clock, keepAlive } from "@framework/core/feature";

/** Time limit of one call. Its signal aborts when the time has passed, or the caller aborts. Keeps the process running from `begin` to `end`. */
export class Deadline {
  readonly timeoutMs: number;
  private readonly clock: Clock;
  private readonly reason: () => Error;
  private readonly outer: AbortSignal | undefined;
  private readonly controller = new AbortController();
  private endsAt = Infinity;
  private passed = false;
  private cancelTimer = (): void => {};
  private release = (): void => {};

  /** @param reason creates the error of a call that exceeds its time limit */
  constructor(clock: Clock, timeoutMs: number, reason: () => Error, outer?: AbortSignal) {
    this.clock = clock;
    this.timeoutMs = timeoutMs;
    this.reason = reason;
    this.outer = outer;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get remainingMs(): number {
    return Math.max(0, this.endsAt - this.clock.now());
  }

  /** Whether the time has passed; `false` if the caller aborted first. */
  get hasPassed(): boolean {
    return this.passed;
  }

  begin(): void {
    this.release = keepAlive();
    this.endsAt = this.clock.now() + this.timeoutMs;
    this.cancelTimer = this.clock.after(this.timeoutMs, () => this.pass());
    if (this.outer?.aborted === true) this.abort();
    else this.outer?.addEventListener("abort", this.abort, { once: true });
  }

  /** Checks that the time has not passed, because a blocked event loop fires timers late. @throws the signal's reason */
  check(): void {
    if (this.clock.now() >= this.endsAt) this.pass();
    this.signal.throwIfAborted();
  }

  /** Cancels the time limit, when the call has ended. */
  end(): void {
    this.cancelTimer();
    this.release();
    this.outer?.removeEventListener("abort", this.abort);
  }

  private readonly abort = (): void => this.controller.abort(this.outer?.reason);

  private pass(): void {
    if (this.signal.aborted) return;
    this.passed = true;
    this.controller.abort(this.reason());
  }
}
