import type { PermitPool } from "./permit-pool.ts";
import type { PermitRule } from "./permits.ts";

/** Maximum capacity with exact timestamps of use; above it they are rounded up to steps of the window. */
const MAX_EXACT_CAPACITY = 1000;
/** Steps of a window with rounded timestamps. */
const STEPS = 64;
/** Number of expired entries at the front of the lists that triggers their removal. */
const SLACK = 64;

/** A sliding window log: each permit returns one window after its use, so no window holds more uses than the capacity. */
export class PermitWindow implements PermitPool {
  readonly kind = "window";
  /** Timestamps of use, ascending, from index `head` on. */
  private times: number[] = [];
  /** Permits used at each timestamp. */
  private counts: number[] = [];
  private head = 0;
  private used = 0;
  private at: number;

  constructor(_rule: PermitRule, now: number) {
    this.at = now;
  }

  get size(): number {
    return 2 * this.times.length;
  }

  advance({ windowMs }: PermitRule, now: number): void {
    this.at = Math.max(this.at, now);
    for (let time = this.times[this.head]; time !== undefined && time + windowMs <= this.at;) {
      this.used -= this.counts[this.head] ?? 0;
      time = this.times[++this.head];
    }
    if (this.head < SLACK && this.head < this.times.length) return;
    this.times.splice(0, this.head);
    this.counts.splice(0, this.head);
    this.head = 0;
  }

  free({ capacity }: PermitRule, leased: number): number {
    return Math.max(0, Math.floor(capacity) - this.used - leased);
  }

  spend(rule: PermitRule, count: number): void {
    if (count > 0) this.report(rule, count, this.at);
  }

  leaseOut(): void {
    // Nothing to store: callers pass the number of leased permits.
  }

  giveBack(): void {
    // Nothing to store: callers pass the number of leased permits.
  }

  report({ capacity, windowMs }: PermitRule, count: number, at: number): void {
    const step = windowMs / STEPS;
    const time = capacity > MAX_EXACT_CAPACITY ? Math.ceil(at / step) * step : at;
    if (time + windowMs <= this.at) return;
    let index = this.times.length;
    while (index > this.head && (this.times[index - 1] ?? 0) > time) index--;
    this.used += count;
    if (index > this.head && this.times[index - 1] === time) {
      this.counts[index - 1] = (this.counts[index - 1] ?? 0) + count;
    } else if (index === this.times.length) {
      this.times.push(time);
      this.counts.push(count);
    } else {
      this.times.splice(index, 0, time);
      this.counts.splice(index, 0, count);
    }
  }

  waitFor({ capacity, windowMs }: PermitRule, missing: number, leased: number): number {
    // After the capacity was lowered, the excess uses have to expire first.
    let owed = missing + Math.max(0, this.used + leased - Math.floor(capacity));
    for (let index = this.head; index < this.times.length; index++) {
      owed -= this.counts[index] ?? 0;
      if (owed <= 0) return (this.times[index] ?? 0) + windowMs - this.at;
    }
    return Infinity;
  }

  resetMs({ windowMs }: PermitRule): number {
    const last = this.times.at(-1);
    return this.head === this.times.length || last === undefined ? 0 : last + windowMs - this.at;
  }
}
