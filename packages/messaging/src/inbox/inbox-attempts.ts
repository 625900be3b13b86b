import type { Kernel } from "@framework/durable/feature";
import type { Message } from "../message/message.ts";

/** Key of a message and its consumer in the inbox. */
export interface InboxKey {
  readonly consumer: string;
  readonly message: string;
}

/** A counted attempt. */
export interface Attempt {
  /** Attempts so far, including this one. */
  readonly attempts: number;
  /** Attempts that have failed without killing their process. */
  readonly ended: number;
  /** Whether the message was already done. */
  readonly isDone: boolean;
}

/** Counts attempts in the app's database before the handler begins, so that an attempt that kills its process also counts. */
export class InboxAttempts {
  private readonly kernel: Kernel;

  constructor(kernel: Kernel) {
    this.kernel = kernel;
  }

  /**
   * Counts an attempt.
   *
   * @param isAlone whether no other suspect message runs; only then may a message begin whose earlier attempt never ended
   * @returns `null`, without counting, if the message is suspect and must not begin
   */
  async begin({ consumer, message }: InboxKey, isAlone: boolean): Promise<Attempt | null> {
    const { now } = this.kernel;
    const row = await this.kernel.transaction(
      (tx) => tx.fetchOne<{ attempts: number; ended: number; done_at: number | null }>`
      INSERT INTO framework_inbox (consumer, message, attempts, ended, seen_at) VALUES (${consumer}, ${message}, 1, 0, ${now})
      ON CONFLICT (consumer, message) DO UPDATE SET attempts = framework_inbox.attempts + 1, seen_at = excluded.seen_at
      WHERE framework_inbox.attempts <= framework_inbox.ended OR framework_inbox.done_at IS NOT NULL OR ${isAlone ? 1 : 0} = 1
      RETURNING attempts, ended, done_at`,
    );
    return row === null ? null : { attempts: row.attempts, ended: row.ended, isDone: row.done_at !== null };
  }

  /** Records that an attempt has failed without killing its process. */
  async recordFailure({ consumer, message }: InboxKey): Promise<void> {
    await this.kernel.transaction(
      (tx) =>
        tx.execute`UPDATE framework_inbox SET ended = ended + 1 WHERE consumer = ${consumer} AND message = ${message}`,
    );
  }

  /** Uncounts an attempt whose failure the message did not cause. */
  async uncount({ consumer, message }: InboxKey): Promise<void> {
    await this.kernel.transaction(
      (tx) =>
        tx.execute`UPDATE framework_inbox SET attempts = attempts - 1 WHERE consumer = ${consumer} AND message = ${message} AND attempts > 0`,
    );
  }

  /** Resets the count: a replayed dead letter has all its tries again. */
  async forget({ consumer, message }: InboxKey): Promise<void> {
    await this.kernel.transaction(
      (tx) =>
        tx.execute`DELETE FROM framework_inbox WHERE consumer = ${consumer} AND message = ${message} AND done_at IS NULL`,
    );
  }
}

/** Returns the inbox key of a message, whose id is unique only for its source. */
export const inboxKey = (
  { id, source }: Pick<Message, "id" | "source">,
  { broker, topic, group }: Pick<Message["meta"], "broker" | "topic" | "group">,
): InboxKey => ({ consumer: `${broker} ${topic} ${group}`, message: `${id}\n${source}` });
