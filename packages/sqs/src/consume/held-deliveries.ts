import type { Clock } from "@framework/core/feature";
import type { Logger } from "@framework/core";
import { batchesOf, forEach } from "../client/batches.ts";
import type { SqsApi } from "../client/sqs-api.ts";
import { reasonOf } from "../client/sqs-error.ts";
import type { SqsDelivery } from "./sqs-delivery.ts";

/** Dependencies of `HeldDeliveries`. */
export interface HeldDeliveriesParts {
  readonly api: SqsApi;
  readonly clock: Clock;
  readonly log: Logger;
  readonly visibilityTimeoutSecs: number;
  /** Whether a delivery is still being processed. */
  readonly isAlive: (delivery: SqsDelivery) => boolean;
  /** Called with lost deliveries, which SQS delivers to another consumer. */
  readonly onLost: (deliveries: readonly SqsDelivery[]) => void;
  /** Called when fewer deliveries are held. */
  readonly onReleased: () => void;
}

/** Number of checks during one visibility timeout. */
const CHECKS = 6;

/** The deliveries that a consumer holds. Extends the visibility timeout of deliveries that are being processed; the others are lost when it ends. */
export class HeldDeliveries {
  private readonly parts: HeldDeliveriesParts;
  private readonly held = new Set<SqsDelivery>();
  private readonly visibilityTimeoutMs: number;
  private cancel: () => void = () => {};

  constructor(parts: HeldDeliveriesParts) {
    this.parts = parts;
    this.visibilityTimeoutMs = parts.visibilityTimeoutSecs * 1000;
  }

  /** Starts to extend held deliveries, until `close`. */
  begin(): void {
    this.cancel = this.parts.clock.every(this.visibilityTimeoutMs / CHECKS, () => this.check());
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

  /** Returns the number of held deliveries of queues. @param urls URLs of the queues */
  countOf(urls: ReadonlySet<string>): number {
    return this.held.values().reduce((count, { queue }) => (urls.has(queue.url) ? count + 1 : count), 0);
  }

  /** Removes settled deliveries. */
  removeSettled(deliveries: readonly SqsDelivery[]): void {
    this.forget(deliveries);
  }

  /** Removes lost deliveries. Also removes and releases later deliveries of their message groups, which must not overtake them. Returns all removed deliveries. */
  lose(deliveries: readonly SqsDelivery[]): readonly SqsDelivery[] {
    const removed = this.forget(deliveries);
    const lanes = new Set(removed.flatMap(({ lane }) => lane ?? []));
    const later =
      lanes.size === 0 ? [] : [...this.held].filter(({ lane }) => lane !== null && lanes.has(lane));
    if (later.length > 0) void this.makeVisible(this.forget(later));
    return [...removed, ...later];
  }

  /** Releases deliveries, in reverse order of each message group. Never rejects: a delivery that cannot be released is redelivered after its visibility timeout. */
  async release(deliveries: readonly SqsDelivery[]): Promise<void> {
    await this.makeVisible(this.forget(deliveries));
  }

  /** Releases all deliveries and stops extending. */
  async close(): Promise<void> {
    this.cancel();
    await this.release([...this.held]);
  }

  /** Removes deliveries. Returns those that were still held. */
  private forget(deliveries: readonly SqsDelivery[]): readonly SqsDelivery[] {
    const removed = deliveries.filter((delivery) => this.held.delete(delivery));
    if (removed.length > 0) this.parts.onReleased();
    return removed;
  }

  private check(): void {
    const now = this.parts.clock.now();
    const due = [...this.held].filter(({ hiddenUntil }) => now >= hiddenUntil - this.visibilityTimeoutMs / 2);
    const expired = due.filter(({ hiddenUntil }) => now >= hiddenUntil);
    const alive = due.filter(
      (delivery) => now < delivery.hiddenUntil && !delivery.isExtending && this.parts.isAlive(delivery),
    );
    if (expired.length > 0) this.parts.onLost(this.lose(expired));
    for (const ofQueue of Map.groupBy(alive, ({ queue }) => queue.url).values())
      for (const batch of batchesOf(ofQueue)) void this.extend(batch);
  }

  private async extend(batch: readonly SqsDelivery[]): Promise<void> {
    const { api, clock, log, visibilityTimeoutSecs, onLost } = this.parts;
    const url = batch[0]?.queue.url ?? "";
    for (const delivery of batch) delivery.isExtending = true;
    const from = clock.now();
    try {
      const failures = await api.changeVisibility(url, entriesOf(batch, visibilityTimeoutSecs));
      const refused = batch.filter((_, at) => failures.get(String(at))?.SenderFault === true);
      for (const [at, delivery] of batch.entries())
        if (!failures.has(String(at))) delivery.hiddenUntil = from + this.visibilityTimeoutMs;
      const removed = this.lose(refused);
      if (removed.length > 0) onLost(removed);
    } catch (error) {
      log.warn("sqs: the visibility timeout of deliveries was not extended", { reason: reasonOf(error) }); // the next check retries
    }
    for (const delivery of batch) delivery.isExtending = false;
  }

  private async makeVisible(deliveries: readonly SqsDelivery[]): Promise<void> {
    const { api, log } = this.parts;
    const queues = [...Map.groupBy(deliveries.toReversed(), ({ queue }) => queue.url)];
    await forEach(queues, async ([url, ofQueue]) => {
      try {
        for (const batch of batchesOf(ofQueue)) await api.changeVisibility(url, entriesOf(batch, 0));
      } catch (error) {
        log.warn("sqs: deliveries were not released; they are redelivered after their visibility timeout", {
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
