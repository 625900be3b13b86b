import type { Transaction } from "@framework/database";

/** A lease that this process owns. */
export interface HeldLease {
  /** Purpose of the lease, such as `schedule`. */
  readonly kind: string;
  /** Name, unique among the leases of its kind. */
  readonly name: string;
  /** Fencing token: a later owner has a higher one. */
  readonly fence: number;
  /** Aborts when the lease is lost (`LeaseLostError`) or released. */
  readonly signal: AbortSignal;
  /**
   * Verifies in a transaction that this process still owns the lease, and keeps others from claiming it until the transaction ends. Call it in every
   * transaction that relies on the lease.
   *
   * @throws LeaseLostError
   */
  check(tx: Transaction): Promise<void>;
  /** Releases the lease. Its `signal` aborts at once; others can claim the lease once this resolves. Never rejects. */
  release(): Promise<void>;
}

/** Dependencies of `LeaseHold`. */
export interface HeldLeases {
  check(hold: LeaseHold, tx: Transaction): Promise<void>;
  release(hold: LeaseHold): Promise<void>;
}

/** A lease of this process; can be aborted by its owner. */
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
