import type { Clock } from "@framework/core/feature";

/** What a look for work found: `more` looks again at once, `some` after the shortest pause, `none` after a longer one each time. */
export type Found = "more" | "some" | "none";

/** Options of a poll loop. */
export interface PollLoopOptions {
  readonly clock: Clock;
  /** Shortest pause in milliseconds. */
  readonly minMs: number;
  /** Longest pause in milliseconds. */
  readonly maxMs: number;
  /** Looks for work. */
  readonly look: () => Promise<Found>;
  /** Called when a look failed; the next one comes after a longer pause. */
  readonly failed: (error: unknown) => void;
}

/** Looks for work again and again: at once when woken, and otherwise after pauses that grow while there is none. */
export class PollLoop {
  private readonly options: PollLoopOptions;
  private pauseMs: number;
  private looking: Promise<void> | null = null;
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

  /** Looks at once, or again after the running look. Does nothing before `begin` and after `end`. */
  wake(): void {
    if (this.state !== "running") return;
    this.isWoken = true;
    if (this.looking !== null) return;
    this.cancel();
    this.looking = this.look();
  }

  /** Ends the loop, after the running look. */
  async end(): Promise<void> {
    this.state = "ended";
    this.cancel();
    await this.looking;
  }

  private async look(): Promise<void> {
    let found: Found = "more";
    try {
      while (this.state === "running" && (found === "more" || this.isWoken)) {
        this.isWoken = false;
        found = await this.options.look();
      }
    } catch (error) {
      found = "none"; // however often it was woken: a database that is away needs a pause
      this.options.failed(error);
    }
    this.looking = null;
    if (this.state === "running") this.pause(found);
  }

  private pause(found: Found): void {
    const { clock, minMs, maxMs } = this.options;
    if (found !== "none") this.pauseMs = minMs;
    this.cancel = clock.after(this.pauseMs, () => this.wake());
    this.pauseMs = Math.min(this.pauseMs * 2, maxMs);
  }
}
