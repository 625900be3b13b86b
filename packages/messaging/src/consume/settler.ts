import type { Logger } from "@framework/core";
import { type Clock, messageOf } from "@framework/core/feature";
import type { Consumer } from "../port/broker-adapter.ts";
import type { Delivery, Settlement } from "../port/delivery.ts";
import type { Troubles } from "../waiting/troubles.ts";

/** What settling needs. */
export interface SettlerParts {
  readonly consumer: () => Pick<Consumer, "settle">;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when a settlement is at the broker. */
  readonly settled: (settlement: Settlement) => void;
  /** Called with deliveries that the consumer did not hold any more. */
  readonly lost: (deliveries: readonly Delivery[]) => void;
  /** Has the reason while the broker cannot be asked. */
  readonly troubles: Troubles;
  /** Whether a settlement still makes sense: its delivery was not lost. */
  readonly isWanted: (settlement: Settlement) => boolean;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5000;

/** Settlements of one call. */
const BATCH = 500;

/**
 * Settles deliveries in batches, again and again until the broker has them. What is done and what is tried again are settled beside each other: a broker may
 * have to store a copy of the latter, and holds up no acknowledgement while it cannot.
 */
export class Settler {
  private readonly lines: Readonly<Record<Settlement["action"], SettlerLine>>;

  constructor(parts: SettlerParts) {
    this.lines = { done: new SettlerLine(parts), retry: new SettlerLine(parts) };
  }

  add(settlement: Settlement): void {
    this.lines[settlement.action].add(settlement);
  }

  /** Resolves when everything was settled. */
  async flushed(): Promise<void> {
    await Promise.all([this.lines.done.flushed(), this.lines.retry.flushed()]);
  }

  /** Gives up what is not settled. */
  end(): void {
    this.lines.done.end();
    this.lines.retry.end();
  }
}

/** Settlements of one kind, one call at a time. */
class SettlerLine {
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

  async flushed(): Promise<void> {
    while (this.running !== null) await this.running;
  }

  end(): void {
    this.hasEnded = true;
    this.waiting = [];
  }

  private async run(): Promise<void> {
    await Promise.resolve(); // what was finished in the same turn shares a call
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, BATCH).filter(this.parts.isWanted);
      if (batch.length > 0) await this.settle(batch);
      else this.parts.troubles.ended(this); // what failed was lost
    }
    this.running = null;
  }

  private async settle(batch: readonly Settlement[]): Promise<void> {
    const { consumer, log, settled, lost, troubles } = this.parts;
    try {
      const gone = await consumer().settle(batch);
      troubles.ended(this);
      this.pauseMs = FIRST_PAUSE_MS;
      if (gone.length === 0) for (const settlement of batch) settled(settlement);
      else {
        const missing = new Set(gone);
        for (const settlement of batch) if (!missing.has(settlement.delivery)) settled(settlement);
        lost(gone);
      }
    } catch (error) {
      if (this.hasEnded) return;
      log.warn("messaging: deliveries could not be settled; they are settled again", { error });
      troubles.failed(this, `deliveries could not be settled, and are settled again: ${messageOf(error)}`);
      await this.pause();
      if (!this.hasEnded) this.waiting = [...batch, ...this.waiting];
    }
  }

  private pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.parts.clock.after(this.pauseMs, resolve);
    this.pauseMs = Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS);
    return promise;
  }
}
