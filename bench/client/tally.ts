import type { FailureKind, Outcome } from "./connection.ts";

/** Counts how requests ended. */
export class Tally {
  readonly statuses: Map<number, number> = new Map();
  readonly failures: Map<FailureKind, number> = new Map();
  /** Replies with `Connection: close`. */
  closes = 0;
  /** Requests that the client aborted on purpose. */
  disconnected = 0;

  add(outcome: Outcome): void {
    if (outcome.kind === "disconnected") this.disconnected++;
    else if (outcome.kind === "reply") {
      count(this.statuses, outcome.reply.status);
      if (outcome.reply.closes) this.closes++;
    } else count(this.failures, outcome.kind);
  }

  get replies(): number {
    return sum(this.statuses);
  }

  get failed(): number {
    return sum(this.failures);
  }

  /** Failures by kind as text, or `none`. */
  get failureText(): string {
    return this.failed === 0 ? "none" : [...this.failures].map(([kind, n]) => `${n} ${kind}`).join(", ");
  }

  /** Replies by status as text. */
  get statusText(): string {
    return [...this.statuses]
      .toSorted(([a], [b]) => a - b)
      .map(([status, n]) => `${n} x ${status}`)
      .join(", ");
  }
}

const count = <K>(counts: Map<K, number>, key: K): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

const sum = (counts: ReadonlyMap<unknown, number>): number => [...counts.values()].reduce((a, b) => a + b, 0);
