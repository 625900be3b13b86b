import type { Clock } from "@framework/core/feature";

/** Result of a poll: after `more` the loop polls again at once, after `some` after the shortest pause, after `none` after twice the previous pause. */
export type PollOutcome = "more" | "some" | "none";

/** Options of a poll loop. */
export interface PollLoopOptions {
  readonly clock: Clock;
  /** Shortest pause in milliseconds. */
  readonly minMs: number;
  /** Longest pause in milliseconds. */
  readonly maxMs: number;
  /** Polls for work. */
  readonly pollOnce: () => Promise<PollOutcome>;
  /** Called when a poll has failed, which counts as `none`. */
  readonly onError: (error: unknown) => void;
}

/** Polls for work: at once when woken, otherwise after pauses that double while there is none. */
export class PollLoop {
  private readonly options: PollLoopOptions;
  private pauseMs: number;
  private polling: Promise<void> | null = null;
  private isWoken = false;
  private state: "new" | "running" | "ended" = "new";
  private cancel = (): void => {};

  constructor(options: PollLoopOptions) {
    this.options = options;
    this.pauseMs = options.minMs;
  }

  begin(): void {
    if (this.state !== "new") return;
    this.state = "running";
    this.wake();
  }

  /** Polls at once, or again after the running poll. Does nothing before `begin` and after `end`. */
  wake(): void {
    if (this.state !== "running") return;
    this.isWoken = true;
    if (this.polling !== null) return;
    this.cancel();
    this.polling = this.pollOnce();
  }

  /** Ends the loop, after the running poll. */
  async end(): Promise<void> {
    this.state = "ended";
    this.cancel();
    await this.polling;
  }

  private async pollOnce(): Promise<void> {
    let found: PollOutcome = "more";
    try {
      while (this.state === "running" && (found === "more" || this.isWoken)) {
        this.isWoken = false;
        found = await this.options.pollOnce();
      }
    } catch (error) {
      found = "none"; // even if woken meanwhile: do not retry an unavailable database without a pause
      this.options.onError(error);
    }
    this.polling = null;
    if (this.state === "running") this.pause(found);
  }

  private pause(found: PollOutcome): void {
    const { clock, minMs, maxMs } = this.options;
    if (found !== "none") this.pauseMs = minMs;
    this.cancel = clock.after(this.pauseMs, () => this.wake());
    this.pauseMs = Math.min(this.pauseMs * 2, maxMs);
  }
}
