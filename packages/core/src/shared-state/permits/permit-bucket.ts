import type { PermitPool } from "./permit-pool.ts";
import type { PermitRule } from "./permits.ts";

/** A level within this tolerance of a whole number counts as that number. The level itself is not rounded, so the error does not accumulate. */
const TOLERANCE = 1e-6;

/**
 * A token bucket: `capacity` permits at first, refilled evenly.
 *
 * Leased permits count towards the capacity: free and leased permits together never exceed it. Any interval of length t therefore admits at most
 * capacity + rate × t, whenever holders use their leases.
 */
export class PermitBucket implements PermitPool {
  readonly kind = "bucket";
  readonly size = 2;
  private level: number;
  private at: number;

  constructor({ capacity }: PermitRule, now: number) {
    this.level = capacity;
    this.at = now;
  }

  advance({ capacity, windowMs }: PermitRule, now: number, leased: number): void {
    const room = Math.max(0, capacity - leased);
    const passed = Math.max(0, now - this.at);
    this.level = Math.min(room, this.level + (passed * capacity) / windowMs);
    this.at = Math.max(this.at, now);
  }

  free(): number {
    return Math.max(0, Math.floor(this.level + TOLERANCE));
  }

  spend(_rule: PermitRule, count: number): void {
    this.level -= count;
  }

  leaseOut(count: number): void {
    this.level -= count;
  }

  giveBack(count: number): void {
    this.level += count;
  }

  report(): void {
    // The permits left the bucket when they were leased; with fewer leased, `advance` has room to refill.
  }

  waitFor({ capacity, windowMs }: PermitRule, missing: number, leased: number): number {
    const wanted = this.free() + missing;
    if (wanted > capacity - leased) return Infinity;
    return ((wanted - this.level) * windowMs) / capacity;
  }

  resetMs({ capacity, windowMs }: PermitRule): number {
    return Math.max(0, ((capacity - this.level) * windowMs) / capacity);
  }
}
