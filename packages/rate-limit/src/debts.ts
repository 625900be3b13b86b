import type { Clock } from "@framework/core/feature";

interface Debt {
  readonly count: number;
  readonly endsAt: number;
}

/** Bound and clock of `Debts`. */
export interface DebtsOptions {
  readonly clock: Pick<Clock, "now">;
  /** Maximum number of keys; the oldest is dropped. @default 100000 */
  readonly maxKeys?: number;
}

/**
 * Requests that were admitted without the store and are not charged there yet, by key.
 *
 * A debt expires one window after its last request: by then the store would have freed its permits.
 */
export class Debts {
  private readonly debts = new Map<string, Debt>();
  private readonly options: Required<DebtsOptions>;

  constructor({ clock, maxKeys = 100_000 }: DebtsOptions) {
    this.options = { clock, maxKeys };
  }

  /** Number of keys with a debt. */
  get size(): number {
    return this.debts.size;
  }

  /** Records an admitted request. */
  add(key: string, windowMs: number): void {
    const count = this.claim(key)?.count ?? 0;
    this.put(key, { count: count + 1, endsAt: this.options.clock.now() + windowMs });
  }

  /** Removes the debt of a key, for a call that charges it. Returns the argument of `settle`; `null` if there is none. */
  claim(key: string): Debt | null {
    if (this.debts.size === 0) return null;
    const debt = this.debts.get(key);
    if (debt === undefined) return null;
    this.debts.delete(key);
    return debt.endsAt > this.options.clock.now() ? debt : null;
  }

  /** Records the result of a call that spent permits for a claimed debt and for requests. Returns the number spent for requests. */
  settle(key: string, claimed: Debt | null, spent: number): number {
    if (claimed === null) return spent;
    const unpaid = claimed.count - spent;
    if (unpaid <= 0) return -unpaid;
    const added = this.claim(key); // by requests during the call
    const endsAt = Math.max(claimed.endsAt, added?.endsAt ?? 0);
    this.put(key, { count: unpaid + (added?.count ?? 0), endsAt });
    return 0;
  }

  /** Reduces the debt of a key by permits that the store spent after their requests had been decided without it. */
  pay(key: string, spent: number): void {
    if (spent > 0) this.settle(key, this.claim(key), spent);
  }

  private put(key: string, debt: Debt): void {
    this.debts.set(key, debt);
    if (this.debts.size <= this.options.maxKeys) return;
    const [oldest] = this.debts.keys();
    if (oldest !== undefined) this.debts.delete(oldest);
  }
}

export type { Debt };
