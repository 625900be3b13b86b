import type { Clock } from "@framework/core/feature";

interface Trouble {
  readonly reason: string;
  readonly since: number;
}

/** Work that has failed and is tried again. */
export class Troubles {
  private readonly clock: Clock;
  private readonly open = new Map<object | string, Trouble>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Notes that work has failed, again or for the first time. @param reason for operators */
  failed(work: object | string, reason: string): void {
    this.open.set(work, { reason, since: this.open.get(work)?.since ?? this.clock.now() });
  }

  /** Notes that work is done or given up. */
  ended(work: object | string): void {
    this.open.delete(work);
  }

  /** Why the work that has failed for the longest time does, and for how many milliseconds; `null` when none fails. */
  get worst(): { readonly reason: string; readonly forMs: number } | null {
    const [first] = this.open.values(); // in the order of their first failures
    return first === undefined ? null : { reason: first.reason, forMs: this.clock.now() - first.since };
  }
}
