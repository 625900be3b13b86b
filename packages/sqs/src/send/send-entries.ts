import { FrameworkError } from "@framework/core";
import { batchesOf, forEach } from "../client/batches.ts";
import type { SqsApi } from "../client/sqs-api.ts";
import { isForbidden, isMissing, isRefusal, reasonOf, refused, unavailable } from "../client/sqs-error.ts";
import type { Queue } from "../queues/known-queues.ts";
import type { QueueEntry } from "./queue-entry.ts";

/** Why a message was not stored. */
export interface SendFailure {
  readonly error: FrameworkError;
  readonly isRetryable: boolean;
  /** Whether the queue no longer exists. */
  readonly isMissing: boolean;
}

/** One message for one queue, with its result. */
export interface Posting extends QueueEntry {
  readonly queue: Queue;
  /** The failure; `null` if the message was stored. */
  failure: SendFailure | null;
}

/** Dependencies of `sendEntries`. */
export interface SendEntriesParts {
  readonly api: SqsApi;
  /** Maximum size of a message in bytes. */
  readonly messageSizeBytes: number;
}

/** Sends messages in batches, with limited concurrency. Never rejects: sets `failure` of each posting. */
export const sendEntries = async (
  { api, messageSizeBytes }: SendEntriesParts,
  postings: readonly Posting[],
  signal: AbortSignal,
): Promise<void> => {
  const fitting = postings.filter((posting) => {
    if (posting.bytes > messageSizeBytes) posting.failure = tooLarge(posting.bytes, messageSizeBytes);
    return posting.failure === null;
  });
  const batches = [...Map.groupBy(fitting, ({ queue }) => queue.url).values()].flatMap((ofQueue) =>
    batchesOf(ofQueue, ({ bytes }) => bytes),
  );
  await forEach(batches, async (batch) => await sendBatch(api, batch, signal));
};

const sendBatch = async (api: SqsApi, batch: readonly Posting[], signal: AbortSignal): Promise<void> => {
  const [first] = batch;
  if (first === undefined) return;
  const entries = batch.map(({ entry }, at) => ({ ...entry, Id: String(at) }));
  try {
    const failures = await api.send(first.queue.url, entries, signal);
    for (const [id, { SenderFault, Code, Message }] of failures) {
      const posting = batch[Number(id)];
      const reason = `${Code ?? "failed"}: ${Message ?? ""}`;
      if (posting === undefined) continue;
      posting.failure =
        SenderFault === true
          ? { error: refused(reason), isRetryable: false, isMissing: false }
          : { error: unavailable(reason), isRetryable: true, isMissing: false };
    }
  } catch (error) {
    const failure = failureOf(error);
    for (const posting of batch) posting.failure = failure;
  }
};

/** Returns the failure of a whole request. Retryable, because a missing permission or queue may be added. */
const failureOf = (error: unknown): SendFailure => {
  const reason = reasonOf(error);
  const isRefused = isForbidden(error) || (isRefusal(error) && !isMissing(error));
  return {
    error: isRefused ? refused(reason, error) : unavailable(reason, error),
    isRetryable: true,
    isMissing: isMissing(error),
  };
};

const tooLarge = (bytes: number, limit: number): SendFailure => ({
  error: new FrameworkError(
    "SQS_TOO_LARGE",
    `sqs: a message has ${bytes} bytes with its headers; the limit is ${limit}`,
  ),
  isRetryable: false,
  isMissing: false,
});
