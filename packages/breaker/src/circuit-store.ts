import type { Awaitable } from "@framework/core";

/** A phase of a circuit. An open phase is half-open once its time has elapsed. */
export interface Phase {
  /** Sequence number of the phase. */
  readonly epoch: number;
  readonly state: "closed" | "open";
  /** Remaining milliseconds of an open phase. */
  readonly leftMs: number;
}

/** A call that tests whether the callee has recovered. */
export interface Trial {
  readonly epoch: number;
  readonly id: string;
  /** Time at which its slot expires, by the worker's clock. */
  readonly endsAt: number;
}

/** Result of a request for a slot. */
export interface LeaseResult {
  readonly isLeased: boolean;
  /** The successor of the trial's phase; `null` if there is none. */
  readonly successor: Phase | null;
}

/** Stores the phases and trial slots of one circuit. No method rejects. */
export interface CircuitStore {
  /** Returns the latest phase, `null` before the first. */
  current(): Awaitable<Phase | null>;
  /** Requests a slot for a trial. */
  lease(trial: Trial): Awaitable<LeaseResult>;
  release(trial: Trial): Awaitable<void>;
  /** Counts a success. Returns the number of successes of the trial's epoch. */
  succeed(trial: Trial): Awaitable<number>;
  /** Stores `phase` as the successor of the previous one, unless one is stored. Returns the stored successor: `phase` itself if it was the first. */
  decide(phase: Phase): Awaitable<Phase>;
  /** Claims the half-open state of an open phase. True in exactly one worker, unless the shared state fails. */
  claimHalfOpen(epoch: number): Awaitable<boolean>;
  /** Publishes a phase to every worker. */
  announce(phase: Phase): Awaitable<void>;
}

/** Stores a circuit in this process; the circuit itself limits its trials. */
export class LocalCircuitStore implements CircuitStore {
  private epoch = 0;
  private successes = 0;

  current(): null {
    return null;
  }

  lease(): LeaseResult {
    return { isLeased: true, successor: null };
  }

  release(): void {
    // The circuit counts its own slots.
  }

  succeed({ epoch }: Trial): number {
    if (epoch !== this.epoch) this.successes = 0;
    this.epoch = epoch;
    return ++this.successes;
  }

  decide(phase: Phase): Phase {
    return phase;
  }

  claimHalfOpen(): true {
    return true;
  }

  announce(): void {
    // There are no other workers.
  }
}
