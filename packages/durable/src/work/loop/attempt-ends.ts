import type { Clock } from "@framework/core/feature";
import type { Attempt } from "./attempt.ts";
import { HourlyCount } from "./hourly-count.ts";
import { type AttemptOutcome, MutableWorkCounts } from "./work-counts.ts";
import type { WorkTimes } from "./work-times.ts";

/** Dependencies of `AttemptEnds`. */
export interface AttemptEndsParts {
  readonly clock: Clock;
  readonly queue: string;
  readonly times: WorkTimes;
}

/** Counts and times of the ended attempts of one queue in this process. */
export class AttemptEnds {
  readonly counts: MutableWorkCounts = new MutableWorkCounts();
  private readonly parts: AttemptEndsParts;
  private readonly gaveUp: HourlyCount;
  private lastAt: number;

  constructor(parts: AttemptEndsParts) {
    this.parts = parts;
    this.gaveUp = new HourlyCount(parts.clock);
    this.lastAt = parts.clock.now();
  }

  /** Milliseconds since the last attempt ended, or since this process began to work. */
  get sinceMs(): number {
    return this.parts.clock.now() - this.lastAt;
  }

  /** Number of items that gave up in the past hour. */
  get gaveUpInHour(): number {
    return this.gaveUp.total;
  }

  /** Call when the process begins to work. */
  begin(): void {
    this.lastAt = this.parts.clock.now();
  }

  /** Records an attempt whose outcome has been written. */
  record(outcome: AttemptOutcome, { beganAt }: Attempt, tookMs: number): void {
    this.counts.outcomes[outcome]++;
    this.lastAt = beganAt + tookMs;
    if (outcome === "failed" || outcome === "parked") this.gaveUp.add();
    this.parts.times.recordEnd(this.parts.queue, outcome, tookMs);
  }
}
