import type { Logger } from "@framework/core";
import { type Clock, messageOf } from "@framework/core/feature";
import type { Consumer } from "../port/broker-adapter.ts";
import type { Delivery, Settlement } from "../port/delivery.ts";
import type { OngoingFailures } from "../waiting/ongoing-failures.ts";

/** Dependencies of `Settler`. */
export interface SettlerParts {
  readonly consumer: () => Pick<Consumer, "settle">;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when the broker has recorded a settlement. */
  readonly onSettled: (settlement: Settlement) => void;
  /** Called with deliveries that the consumer no longer held. */
  readonly onLost: (deliveries: readonly Delivery[]) => void;
  /** Records the reason while settling fails. */
  readonly failures: OngoingFailures;
  /** Whether a settlement is still needed: its delivery was not lost. */
  readonly isNeeded: (settlement: Settlement) => boolean;
}

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5000;

/** Maximum number of settlements of one call. */
const MAX_BATCH = 500;

/**
 * Settles deliveries in batches and retries until the broker has recorded them. `done` and `retry` are settled concurrently: for `retry` a broker may have to
 * store a copy, and acknowledgements must not wait for that.
 */
export class Settler {
  private readonly queues: Readonly<Record<Settlement["action"], SettlementQueue>>;

  constructor(parts: SettlerParts) {
    this.queues = { done: new SettlementQueue(parts), retry: new SettlementQueue(parts) };
  }

  add(settlement: Settlement): void {
    this.queues[settlement.action].add(settlement);
  }

  /** Resolves when everything was settled. */
  async untilFlushed(): Promise<void> {
    await Promise.all([this.queues.done.untilFlushed(), this.queues.retry.untilFlushed()]);
  }

  /** Drops outstanding settlements. */
  end(): void {
    this.queues.done.end();
    this.queues.retry.end();
  }
}

/** Settlements of one kind, one call at a time. */
class SettlementQueue {
  private readonly parts: SettlerParts;
  private waiting: Settlement[] = [];
  private running: Promise<void> | null = null;
  private pauseMs = FIRST_PAUSE_MS;
  private hasEnded = false;

  constructor(parts: SettlerParts) {
    this.parts = parts;
  }

  add(settlement: Settlement): void {
    this.waiting.push(settlement);
    this.running ??= this.run();
  }

  async untilFlushed(): Promise<void> {
    while (this.running !== null) await this.running;
  }

  end(): void {
    this.hasEnded = true;
    this.waiting = [];
  }

  private async run(): Promise<void> {
    await Promise.resolve(); // lets settlements that are added at the same time share a call
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, MAX_BATCH).filter(this.parts.isNeeded);
      if (batch.length > 0) await this.settle(batch);
      else this.parts.failures.ended(this); // all failed deliveries were lost
    }
    this.running = null;
  }

  private async settle(batch: readonly Settlement[]): Promise<void> {
    const { consumer, log, onSettled, onLost, failures } = this.parts;
    try {
      const lostDeliveries = await consumer().settle(batch);
      failures.ended(this);
      this.pauseMs = FIRST_PAUSE_MS;
      if (lostDeliveries.length === 0) for (const settlement of batch) onSettled(settlement);
      else {
        const missing = new Set(lostDeliveries);
        for (const settlement of batch) if (!missing.has(settlement.delivery)) onSettled(settlement);
        onLost(lostDeliveries);
      }
    } catch (error) {
      if (this.hasEnded) return;
      log.warn("messaging: deliveries could not be settled; trying again", { error });
      failures.failed(this, `deliveries cannot be settled: ${messageOf(error)}`);
      await this.pause();
      if (!this.hasEnded) this.waiting = [...batch, ...this.waiting];
    }
  }

  private pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.parts.clock.after(this.pauseMs, resolve);
    this.pauseMs = Math.min(this.pauseMs * 2, MAX_PAUSE_MS);
    return promise;
  }
}
