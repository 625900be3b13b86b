import type { Transaction } from "@framework/database";

/** A lease that this process owns. */
export interface HeldLease {
  /** What is leased, such as `schedule`. */
  readonly kind: string;
  /** Which one of its kind. */
  readonly name: string;
  /** Grows with every owner; a later owner has a higher one. */
  readonly fence: number;
  /** Aborts when the lease is lost (`LeaseLostError`) or given up. */
  readonly signal: AbortSignal;
  /**
   * Verifies in a transaction that this process still owns the lease, and keeps it from being taken until the transaction ends: then what the transaction
   * writes is written by the only owner. Call it in every transaction that relies on the lease.
   *
   * @throws LeaseLostError
   */
  check(tx: Transaction): Promise<void>;
  /** Gives the lease up. Its `signal` aborts at once; the next owner may come as soon as this resolves. Never rejects. */
  release(): Promise<void>;
}

/** What a hold needs from the leases of its process. */
export interface HeldLeases {
  check(hold: LeaseHold, tx: Transaction): Promise<void>;
  release(hold: LeaseHold): Promise<void>;
}

/** A lease of this process, with the means to end it. */
export class LeaseHold implements HeldLease {
  readonly kind: string;
  readonly name: string;
  readonly fence: number;
  private readonly leases: HeldLeases;
  private readonly controller = new AbortController();

  constructor(kind: string, name: string, fence: number, leases: HeldLeases) {
    this.kind = kind;
    this.name = name;
    this.fence = fence;
    this.leases = leases;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  abort(reason: unknown): void {
    this.controller.abort(reason);
  }

  check(tx: Transaction): Promise<void> {
    return this.leases.check(this, tx);
  }

  async release(): Promise<void> {
    this.abort(new Error("the lease was released"));
    await this.leases.release(this);
  }
}
