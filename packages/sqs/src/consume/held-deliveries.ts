import type { Clock } from "@framework/core/feature";
import type { Logger } from "@framework/core";
import { batchesOf, forEach } from "../client/batches.ts";
import type { SqsApi } from "../client/sqs-api.ts";
import { reasonOf } from "../client/sqs-error.ts";
import type { SqsDelivery } from "./sqs-delivery.ts";

/** What holding deliveries needs. */
export interface HeldDeliveriesParts {
  readonly api: SqsApi;
  readonly clock: Clock;
  readonly log: Logger;
  readonly visibilityTimeoutSecs: number;
  /** Whether a delivery is still worked on. */
  readonly isAlive: (delivery: SqsDelivery) => boolean;
  /** Called with deliveries that SQS gives to others. */
  readonly lost: (deliveries: readonly SqsDelivery[]) => void;
  /** Called when fewer deliveries are held. */
  readonly released: () => void;
}

/** Parts of the visibility timeout between two looks at what must be extended. */
const LOOKS = 6;

/** What this process holds: extends the time of what is worked on, and gives back the rest. */
export class HeldDeliveries {
  private readonly parts: HeldDeliveriesParts;
  private readonly held = new Set<SqsDelivery>();
  private readonly visibleMs: number;
  private cancel: () => void = () => {};

  constructor(parts: HeldDeliveriesParts) {
    this.parts = parts;
    this.visibleMs = parts.visibilityTimeoutSecs * 1000;
  }

  /** Begins to look after what is held, until `close`. */
  begin(): void {
    this.cancel = this.parts.clock.every(this.visibleMs / LOOKS, () => this.look());
  }

  get size(): number {
    return this.held.size;
  }

  has(delivery: SqsDelivery): boolean {
    return this.held.has(delivery);
  }

  add(deliveries: readonly SqsDelivery[]): void {
    for (const delivery of deliveries) this.held.add(delivery);
  }

  /** Number of deliveries of queues, by URL. */
  countOf(urls: ReadonlySet<string>): number {
    return this.held.values().reduce((count, { queue }) => (urls.has(queue.url) ? count + 1 : count), 0);
  }

  /** Forgets deliveries that were settled. */
  settled(deliveries: readonly SqsDelivery[]): void {
    this.forget(deliveries);
  }

  /**
   * Forgets deliveries that SQS gives to others, together with those behind them in their message groups, which must not overtake them. Returns all of them;
   * the latter are given back.
   */
  lose(deliveries: readonly SqsDelivery[]): readonly SqsDelivery[] {
    const gone = this.forget(deliveries);
    const lanes = new Set(gone.flatMap(({ lane }) => lane ?? []));
    const behind =
      lanes.size === 0 ? [] : [...this.held].filter(({ lane }) => lane !== null && lanes.has(lane));
    if (behind.length > 0) void this.release(this.forget(behind));
    return [...gone, ...behind];
  }

  /** Gives deliveries back, the last of a message group first. Never rejects: what cannot be given back comes again after its time. */
  async giveBack(deliveries: readonly SqsDelivery[]): Promise<void> {
    await this.release(this.forget(deliveries));
  }

  /** Gives everything back and looks after nothing any more. */
  async close(): Promise<void> {
    this.cancel();
    await this.giveBack([...this.held]);
  }

  /** Returns those that were held. */
  private forget(deliveries: readonly SqsDelivery[]): readonly SqsDelivery[] {
    const ours = deliveries.filter((delivery) => this.held.delete(delivery));
    if (ours.length > 0) this.parts.released();
    return ours;
  }

  private look(): void {
    const now = this.parts.clock.now();
    const due = [...this.held].filter(({ hiddenUntil }) => now >= hiddenUntil - this.visibleMs / 2);
    const expired = due.filter(({ hiddenUntil }) => now >= hiddenUntil);
    const alive = due.filter(
      (delivery) => now < delivery.hiddenUntil && !delivery.isExtending && this.parts.isAlive(delivery),
    );
    if (expired.length > 0) this.parts.lost(this.lose(expired));
    for (const ofQueue of Map.groupBy(alive, ({ queue }) => queue.url).values())
      for (const batch of batchesOf(ofQueue)) void this.extend(batch);
  }

  private async extend(batch: readonly SqsDelivery[]): Promise<void> {
    const { api, clock, log, visibilityTimeoutSecs, lost } = this.parts;
    const url = batch[0]?.queue.url ?? "";
    for (const delivery of batch) delivery.isExtending = true;
    const from = clock.now();
    try {
      const failures = await api.hide(url, entriesOf(batch, visibilityTimeoutSecs));
      const refused = batch.filter((_, at) => failures.get(String(at))?.SenderFault === true);
      for (const [at, delivery] of batch.entries())
        if (!failures.has(String(at))) delivery.hiddenUntil = from + this.visibleMs;
      const gone = this.lose(refused);
      if (gone.length > 0) lost(gone);
    } catch (error) {
      log.warn("sqs: the time of deliveries was not extended", { reason: reasonOf(error) }); // the next look tries again
    }
    for (const delivery of batch) delivery.isExtending = false;
  }

  private async release(deliveries: readonly SqsDelivery[]): Promise<void> {
    const { api, log } = this.parts;
    const queues = [...Map.groupBy(deliveries.toReversed(), ({ queue }) => queue.url)];
    await forEach(queues, async ([url, ofQueue]) => {
      try {
        for (const batch of batchesOf(ofQueue)) await api.hide(url, entriesOf(batch, 0));
      } catch (error) {
        log.warn("sqs: deliveries were not given back, and come again after their time", {
          reason: reasonOf(error),
        });
      }
    });
  }
}

const entriesOf = (
  batch: readonly SqsDelivery[],
  VisibilityTimeout: number,
): { Id: string; ReceiptHandle: string; VisibilityTimeout: number }[] =>
  batch.map(({ receipt }, at) => ({ Id: String(at), ReceiptHandle: receipt, VisibilityTimeout }));
