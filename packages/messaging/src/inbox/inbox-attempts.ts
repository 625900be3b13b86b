import type { Kernel } from "@framework/durable/feature";
import type { Message } from "../message/message.ts";

/** Names a message of a consumer in the inbox. */
export interface InboxKey {
  readonly consumer: string;
  readonly message: string;
}

/** An attempt that began. */
export interface Attempt {
  /** Attempts so far, this one included. */
  readonly attempts: number;
  /** Whether the message was done before. */
  readonly isDone: boolean;
}

/** Counts attempts in the app's database before a handler begins, so that one that kills its process counts too. */
export class InboxAttempts {
  private readonly kernel: Kernel;

  constructor(kernel: Kernel) {
    this.kernel = kernel;
  }

  /**
   * Counts an attempt.
   *
   * @param isAlone whether a message may begin that is suspect: an earlier attempt of it began and never ended
   * @returns `null`, without counting, for a suspect message that may not begin
   */
  async begin({ consumer, message }: InboxKey, isAlone: boolean): Promise<Attempt | null> {
    const { now } = this.kernel;
    const row = await this.kernel.transaction(
      (tx) => tx.fetchOne<{ attempts: number; done_at: number | null }>`
      INSERT INTO framework_inbox (consumer, message, attempts, ended, seen_at) VALUES (${consumer}, ${message}, 1, 0, ${now})
      ON CONFLICT (consumer, message) DO UPDATE SET attempts = framework_inbox.attempts + 1, seen_at = excluded.seen_at
      WHERE framework_inbox.attempts <= framework_inbox.ended OR framework_inbox.done_at IS NOT NULL OR ${isAlone ? 1 : 0} = 1
      RETURNING attempts, done_at`,
    );
    return row === null ? null : { attempts: row.attempts, isDone: row.done_at !== null };
  }

  /** Notes that an attempt has failed, and its process lives. */
  async failed({ consumer, message }: InboxKey): Promise<void> {
    await this.kernel.transaction(
      (tx) =>
        tx.execute`UPDATE framework_inbox SET ended = ended + 1 WHERE consumer = ${consumer} AND message = ${message}`,
    );
  }

  /** Takes an attempt back for which the message is not to blame. */
  async takeBack({ consumer, message }: InboxKey): Promise<void> {
    await this.kernel.transaction(
      (tx) =>
        tx.execute`UPDATE framework_inbox SET attempts = attempts - 1 WHERE consumer = ${consumer} AND message = ${message} AND attempts > 0`,
    );
  }

  /** Begins to count anew: a dead letter that is replayed has all its tries again. */
  async forget({ consumer, message }: InboxKey): Promise<void> {
    await this.kernel.transaction(
      (tx) =>
        tx.execute`DELETE FROM framework_inbox WHERE consumer = ${consumer} AND message = ${message} AND done_at IS NULL`,
    );
  }
}

/** The key of a message: its id is unique for its source. */
export const inboxKey = (
  { id, source }: Pick<Message, "id" | "source">,
  { broker, topic, group }: Pick<Message["meta"], "broker" | "topic" | "group">,
): InboxKey => ({ consumer: `${broker} ${topic} ${group}`, message: `${id}\n${source}` });
