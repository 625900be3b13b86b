import type { Clock } from "@framework/core/feature";

interface OngoingFailure {
  readonly reason: string;
  readonly since: number;
}

/** Tracks work that fails and is being retried. */
export class OngoingFailures {
  private readonly clock: Clock;
  private readonly open = new Map<object | string, OngoingFailure>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Records a failure of work, the first or a repeated one. @param reason for operators */
  failed(work: object | string, reason: string): void {
    this.open.set(work, { reason, since: this.open.get(work)?.since ?? this.clock.now() });
  }

  /** Records that work has succeeded or was abandoned. */
  ended(work: object | string): void {
    this.open.delete(work);
  }

  /** Reason and duration in milliseconds of the longest ongoing failure; `null` if there is none. */
  get longest(): { readonly reason: string; readonly forMs: number } | null {
    const [first] = this.open.values(); // a Map iterates in the order of first failures
    return first === undefined ? null : { reason: first.reason, forMs: this.clock.now() - first.since };
  }
}
