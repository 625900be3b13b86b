import type { Awaitable } from "@framework/core";

/** A stretch of a circuit's life. An open turn is half-open once its time is over. */
export interface Turn {
  /** Counts the turns. */
  readonly epoch: number;
  readonly state: "closed" | "open";
  /** Milliseconds that an open turn has left. */
  readonly leftMs: number;
}

/** A call that tries out whether the callee has recovered. */
export interface Trial {
  readonly epoch: number;
  readonly id: string;
  /** When its slot is free again though it has not ended, by the worker's clock. */
  readonly endsAt: number;
}

/** The answer to a request for a slot. */
export interface Leased {
  readonly isLeased: boolean;
  /** The turn that has followed already, if there is one. */
  readonly next: Turn | null;
}

/** What the workers of a service know together about one circuit. Nothing here rejects. */
export interface CircuitLedger {
  /** The latest turn, `null` when there was none. */
  current(): Awaitable<Turn | null>;
  /** Asks for one of the slots for trials. */
  lease(trial: Trial): Awaitable<Leased>;
  giveBack(trial: Trial): Awaitable<void>;
  /** Counts a success; gives how many there were in this epoch. */
  succeed(trial: Trial): Awaitable<number>;
  /** Lets `turn` follow the one before, unless another does already; gives the one that follows, `turn` itself when it was the first. */
  decide(turn: Turn): Awaitable<Turn>;
  /** Tells every worker. */
  announce(turn: Turn): Awaitable<void>;
}

/** The ledger of a circuit that one process has for itself; the circuit bounds its own trials. */
export class LocalLedger implements CircuitLedger {
  #epoch = 0;
  #successes = 0;

  current(): null {
    return null;
  }

  lease(): Leased {
    return { isLeased: true, next: null };
  }

  giveBack(): void {
    // No slot is counted here.
  }

  succeed({ epoch }: Trial): number {
    if (epoch !== this.#epoch) this.#successes = 0;
    this.#epoch = epoch;
    return ++this.#successes;
  }

  decide(turn: Turn): Turn {
    return turn;
  }

  announce(): void {
    // There is nobody to tell.
  }
}
