import type { Clock } from "@framework/core/feature";
import type { Settlement } from "@framework/messaging/adapter";
import { batchesOf, forEach } from "../client/batches.ts";
import type { SqsApi } from "../client/sqs-api.ts";
import { reasonOf } from "../client/sqs-error.ts";
import { queueEntry } from "../send/queue-entry.ts";
import { type Posting, sendEntries } from "../send/send-entries.ts";
import type { SqsDelivery } from "./sqs-delivery.ts";

/** A settlement of an SQS delivery. */
export type SqsSettlement = Settlement & { readonly delivery: SqsDelivery };

/** Dependencies of `settle`. */
export interface SettleParts {
  readonly api: SqsApi;
  readonly clock: Clock;
  readonly messageSizeBytes: number;
  /** Undeleted deliveries whose copy is stored: settling them again must not store another copy. */
  readonly copied: WeakSet<SqsDelivery>;
}

/** Result of `settle`. */
export interface SettleResult {
  readonly done: readonly SqsDelivery[];
  /** Deliveries whose receipt is no longer valid. */
  readonly lost: readonly SqsDelivery[];
  /** Why the others are not settled; `null` if all are. */
  readonly reason: string | null;
}

/** Time limit for storing the copies of retried messages. */
const COPY_MS = 30_000;

/** Stores copies of retried messages, and deletes done and copied ones. Never rejects. */
export const settle = async (
  parts: SettleParts,
  settlements: readonly SqsSettlement[],
): Promise<SettleResult> => {
  const { api } = parts;
  const failure = await copy(parts, settlements);
  const ready = settlements
    .filter(({ action, delivery }) => action === "done" || parts.copied.has(delivery))
    .map(({ delivery }) => delivery);
  const done: SqsDelivery[] = [];
  const lost: SqsDelivery[] = [];
  let reason = failure;
  const batches = [...Map.groupBy(ready, ({ queue }) => queue.url)].flatMap(([url, ofQueue]) =>
    batchesOf(ofQueue).map((batch) => ({ url, batch })),
  );
  await forEach(batches, async ({ url, batch }) => {
    try {
      const entries = batch.map(({ receipt }, at) => ({ Id: String(at), ReceiptHandle: receipt }));
      const failures = await api.remove(url, entries);
      for (const [at, delivery] of batch.entries()) {
        const failed = failures.get(String(at));
        if (failed === undefined) done.push(delivery);
        else if (failed.SenderFault === true) lost.push(delivery);
        else reason = `${failed.Code}: ${failed.Message}`;
      }
    } catch (error) {
      reason = reasonOf(error);
    }
  });
  return { done, lost, reason };
};

/** Stores copies with the new number of tries, because a stored message cannot be changed. Returns the first failure; `null` for none. */
const copy = async (
  { api, clock, messageSizeBytes, copied }: SettleParts,
  settlements: readonly SqsSettlement[],
): Promise<string | null> => {
  const date = clock.date();
  const copies = settlements.flatMap((settlement) => {
    const { delivery } = settlement;
    if (settlement.action === "done" || copied.has(delivery)) return [];
    const { queue, topic, key, headers, body, id } = delivery;
    const message = { topic, id, key, headers, body, delayMs: settlement.delayMs };
    const entry = queueEntry(message, queue, { date, tries: settlement.tries, copyOf: id });
    return [{ delivery, posting: { ...entry, queue, failure: null } as Posting }];
  });
  if (copies.length === 0) return null;
  const limit = new AbortController();
  const cancel = clock.after(COPY_MS, () => limit.abort(new Error(`no response within ${COPY_MS} ms`)));
  await sendEntries(
    { api, messageSizeBytes },
    copies.map(({ posting }) => posting),
    limit.signal,
  );
  cancel();
  for (const { delivery, posting } of copies) if (posting.failure === null) copied.add(delivery);
  return copies.find(({ posting }) => posting.failure !== null)?.posting.failure?.error.message ?? null;
};
