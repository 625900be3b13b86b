import type { Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import type { Kernel } from "@framework/durable/feature";
import { messagingError } from "../errors/messaging-error.ts";
import type { Message } from "../message/message.ts";
import { done, type Outcome } from "../message/outcome.ts";
import { INBOX_TABLES, inboxTables } from "./inbox-tables.ts";

/** One try of a message with an inbox. */
export interface InboxTry {
  readonly message: Message;
  /** Tries that the retry policy allows. */
  readonly maxTries: number;
  /** Calls the handler. */
  readonly work: (tx: Transaction) => Promise<Outcome>;
  /** Settles the delivery in the same transaction; `null` where the broker cannot. */
  readonly settleIn: ((tx: Transaction) => Promise<void>) | null;
  /** Called when the message was done before. */
  readonly duplicate: () => void;
}

/** How long a message is known after its last delivery: 7 days. */
const KEEP_MS = 604_800_000;

/** Mean time between two removals of old messages. */
const PRUNE_MS = 600_000;

/** Messages that one statement removes. */
const PRUNE_BATCH = 1000;

/** Remembers messages in the app's database, so that each has its effect there once. */
export class DatabaseInbox {
  private readonly kernel: Kernel;
  private isUsed = false;
  private cancelPrune: () => void = () => {};

  constructor(kernel: Kernel) {
    this.kernel = kernel;
  }

  /** Adds the table. Call it before the start. */
  use(): void {
    if (this.isUsed) return;
    this.isUsed = true;
    this.kernel.use('dedupe: "inbox"').tables(INBOX_TABLES, inboxTables);
  }

  /** Begins to remove messages that were not seen for 7 days. */
  begin(clock: Clock, log: Logger): void {
    if (!this.isUsed) return;
    const prune = (): void =>
      void this.prune().catch((error: unknown) => log.warn("messaging: the inbox was not pruned", { error }));
    this.cancelPrune = clock.every(PRUNE_MS, prune);
  }

  end(): void {
    this.cancelPrune();
  }

  /** Runs a try; its writes, the mark and the settlement are one transaction. */
  async run(one: InboxTry): Promise<Outcome> {
    const { message, maxTries, duplicate } = one;
    const row = await this.count(message);
    if (row.done_at !== null) {
      duplicate();
      return done;
    }
    if (row.attempts > maxTries) return { kind: "reject", error: killed(row.attempts - 1) };
    try {
      return await this.kernel.db.transaction((tx) => this.runIn(tx, one), { signal: message.signal });
    } catch (error) {
      if (!(error instanceof Undone)) throw error;
      if (error.outcome.kind === "done") duplicate();
      return error.outcome;
    }
  }

  /** Counts an attempt before the handler begins: one that kills the process counts too. */
  private async count({
    id,
    source,
    meta,
  }: Message): Promise<{ readonly attempts: number; readonly done_at: number | null }> {
    const { now } = this.kernel;
    const row = await this.kernel.transaction(
      (tx) => tx.fetchOne<{ attempts: number; done_at: number | null }>`
      INSERT INTO framework_inbox (consumer, message, attempts, seen_at) VALUES (${consumerOf(meta)}, ${keyOf(id, source)}, 1, ${now})
      ON CONFLICT (consumer, message) DO UPDATE SET attempts = framework_inbox.attempts + 1, seen_at = excluded.seen_at
      RETURNING attempts, done_at`,
    );
    return row ?? { attempts: 1, done_at: null };
  }

  private async runIn(tx: Transaction, { message, work, settleIn }: InboxTry): Promise<Outcome> {
    const { id, source, meta } = message;
    const outcome = await work(tx);
    if (outcome.kind !== "done") throw new Undone(outcome);
    message.signal.throwIfAborted();
    const { changes } = await tx.execute`UPDATE framework_inbox SET done_at = ${this.kernel.now}
      WHERE consumer = ${consumerOf(meta)} AND message = ${keyOf(id, source)} AND done_at IS NULL`;
    if (changes === 0) throw new Undone(done); // another process was faster
    await settleIn?.(tx);
    return outcome;
  }

  private async prune(): Promise<void> {
    const { db, now } = this.kernel;
    for (let changes = PRUNE_BATCH; changes === PRUNE_BATCH;)
      ({ changes } = await db.execute`DELETE FROM framework_inbox WHERE (consumer, message) IN
        (SELECT consumer, message FROM framework_inbox WHERE seen_at < ${now} - ${KEEP_MS} LIMIT ${PRUNE_BATCH})`);
  }
}

/** Undoes the transaction of a try, and carries its outcome. */
class Undone extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super("the try is undone");
    this.outcome = outcome;
  }
}

const consumerOf = ({ broker, topic, group }: Message["meta"]): string => `${broker} ${topic} ${group}`;

/** Ids are unique for their source. */
const keyOf = (id: string, source: string): string => `${id}\n${source}`;

const killed = (attempts: number): Error =>
  messagingError(
    "MESSAGING_LOST",
    `the message began ${attempts} times and never ended; it may kill its process`,
  );
