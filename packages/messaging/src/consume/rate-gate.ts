import { createHash } from "node:crypto";
import type { Logger } from "@framework/core";
import {
  type Clock,
  isPromise,
  type PermitRule,
  type PermitStore,
  type SpendResult,
} from "@framework/core/feature";
import type { WorkRate } from "@framework/durable/feature";

/** Dependencies of `RateGate`. */
export interface RateGateParts {
  readonly rate: WorkRate;
  /** Name of the subscription: gates with the same name share the rate. */
  readonly name: string;
  readonly permits: PermitStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when calls may be admitted again. */
  readonly onDue: () => void;
}

/** Wait in milliseconds after the permit store has failed. */
const FAILURE_PAUSE_MS = 1000;

/** Limits the rate of handler calls over all processes that share the permit store. While the store fails, no call is admitted and messages wait. */
export class RateGate {
  private readonly parts: RateGateParts;
  private readonly key: string;
  private readonly rule: PermitRule;
  private permits = 0;
  private isRequesting = false;
  private cancelWait: (() => void) | null = null;

  constructor(parts: RateGateParts) {
    const { limit, perSecs } = parts.rate;
    this.parts = parts;
    this.key = `messaging ${createHash("sha256").update(parts.name).digest("base64url")}`;
    this.rule = { kind: "window", capacity: limit, windowMs: Math.ceil(perSecs * 1000) };
  }

  /** Whether messages wait because of the rate. */
  get isWaiting(): boolean {
    return this.cancelWait !== null;
  }

  /**
   * Uses a permit for a call that begins now. Returns `false` if there is none; then permits are requested, and `onDue` is called when calls may be admitted.
   *
   * @param wanted calls that could begin now
   */
  takePermit(wanted: number): boolean {
    if (this.permits === 0 && !this.isRequesting && this.cancelWait === null) this.request(wanted);
    if (this.permits === 0) return false;
    this.permits--;
    return true;
  }

  /** Drops unused permits: using them later would exceed the rate. */
  drop(): void {
    this.permits = 0;
  }

  /** Stops requesting permits. */
  end(): void {
    this.cancelWait?.();
    this.isRequesting = true;
  }

  private request(wanted: number): void {
    const { permits, rate } = this.parts;
    this.isRequesting = true;
    try {
      const spent = permits.take(this.key, this.rule, { spend: Math.min(wanted, rate.limit) });
      if (!isPromise(spent)) return this.addPermits(spent);
      spent.then(
        (later) => {
          this.addPermits(later);
          if (this.permits > 0) this.parts.onDue();
          this.drop();
        },
        (error: unknown) => this.waitAfterFailure(error),
      );
    } catch (error) {
      this.waitAfterFailure(error);
    }
  }

  private addPermits({ spent, waitMs }: SpendResult): void {
    this.isRequesting = false;
    this.permits = spent;
    if (spent === 0) this.wait(Math.max(1, waitMs));
  }

  private waitAfterFailure(error: unknown): void {
    this.isRequesting = false;
    this.parts.log.warn("messaging: the rate limit of a subscription is unavailable; its messages wait", {
      subscription: this.parts.name,
      error,
    });
    this.wait(FAILURE_PAUSE_MS);
  }

  private wait(ms: number): void {
    this.cancelWait = this.parts.clock.after(ms, () => {
      this.cancelWait = null;
      this.parts.onDue();
    });
  }
}
