import { HttpError, type Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import { sql, type Transaction } from "@framework/database";
import type { Kernel } from "@framework/durable/feature";
import type { Message } from "../message/message.ts";
import { done, type Outcome } from "../message/outcome.ts";
import { openCircuitMs, outcomeOfThrown } from "../message/outcome-of-thrown.ts";
import { type Attempt, InboxAttempts, inboxKey, type InboxKey } from "./inbox-attempts.ts";
import { COPY, SUSPECT, unavailableOutcome, usedUpOutcome, waitOutcome } from "./inbox-outcomes.ts";
import { INBOX_TABLES, inboxTables } from "./inbox-tables.ts";

/** One try of a message with an inbox. */
export interface InboxTry {
  readonly message: Message;
  /** Maximum number of tries of the retry policy. */
  readonly maxTries: number;
  /** Calls the handler with freshly decoded data. */
  readonly work: (tx: Transaction) => Promise<Outcome>;
  /** Whether the transaction may run again after a conflict; otherwise a conflict is a failed try. */
  readonly canRunAgain: boolean;
  /** Settles the delivery in the same transaction; `null` if the broker does not support that. */
  readonly settleIn: ((tx: Transaction) => Promise<void>) | null;
  /** Called if the message was already done. */
  readonly onDuplicate: () => void;
  /** Called before the handler, or before a dead letter without a try, with the number of tries so far, including this one. */
  readonly onCounted: (attempts: number) => void;
  /** Whether the process has abandoned its deliveries, at the end of a drain. */
  readonly hasGivenUp: () => boolean;
}

/** A try in progress. */
interface RunningTry extends InboxTry {
  /** Whether its handler was called. */
  readonly hasBegun: () => boolean;
}

/** Time for which a message is kept after its last delivery: 7 days. */
const KEEP_MS = 604_800_000;

/** Interval between removals of old messages. */
const PRUNE_MS = 600_000;

/** Maximum number of messages that one statement removes. */
const PRUNE_BATCH = 1000;

/** Records handled messages in the app's database, so that each takes effect there once. */
export class DatabaseInbox {
  private readonly kernel: Kernel;
  private readonly attempts: InboxAttempts;
  /** Signals of the running tries by message and consumer. */
  private readonly running = new Map<string, AbortSignal>();
  /** Messages and consumers whose last attempt must still be uncounted. */
  private readonly toUncount = new Set<string>();
  private isUsed = false;
  private isTryingSuspect = false;
  private cancelPrune: () => void = () => {};
  private log: Pick<Logger, "warn"> | null = null;
  /** Whether the latest try could not begin. */
  private isUnavailable = false;

  constructor(kernel: Kernel) {
    this.kernel = kernel;
    this.attempts = new InboxAttempts(kernel);
  }

  /** Adds the table. Call it before the start. */
  use(): void {
    if (this.isUsed) return;
    this.isUsed = true;
    this.kernel.use('dedupe: "inbox"').tables(INBOX_TABLES, inboxTables);
  }

  /** Starts to remove messages that were not delivered for 7 days. */
  begin(clock: Clock, log: Logger): void {
    if (!this.isUsed) return;
    this.log = log;
    const prune = (): void =>
      void this.prune().catch((error: unknown) => log.warn("messaging: the inbox was not pruned", { error }));
    this.cancelPrune = clock.every(PRUNE_MS, prune);
  }

  end(): void {
    this.cancelPrune();
  }

  /**
   * Runs a try: its writes, the `done` mark and the settlement are one transaction. Resolves when its handler has returned. A copy of a message that is being
   * handled waits: it would count as another try.
   */
  async run(one: InboxTry): Promise<Outcome> {
    const { signal } = one.message;
    const key = inboxKey(one.message, one.message.meta);
    const name = nameOf(key);
    if (this.running.get(name)?.aborted === false) return waitOutcome(COPY);
    this.running.set(name, signal);
    try {
      return await this.runUntilReturned(key, one);
    } finally {
      if (this.running.get(name) === signal) this.running.delete(name);
    }
  }

  private async runUntilReturned(key: InboxKey, one: InboxTry): Promise<Outcome> {
    let handling: Promise<unknown> | null = null;
    const work: InboxTry["work"] = (tx) => {
      const outcome = one.work(tx);
      handling = outcome;
      return outcome;
    };
    const outcome = await this.attempt(key, { ...one, work, hasBegun: () => handling !== null });
    await (handling as Promise<unknown> | null)?.catch(() => {}); // an aborted transaction does not wait for its handler
    return outcome;
  }

  private async attempt(key: InboxKey, one: RunningTry): Promise<Outcome> {
    try {
      await this.uncountEarlier(key);
      const attempt = await this.attempts.begin(key, false);
      return attempt === null ? await this.runSuspect(key, one) : await this.runCounted(key, one, attempt);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return this.unavailable(error); // the try could not be counted
    }
  }

  /** Uncounts an attempt that could not be uncounted when it ended. */
  private async uncountEarlier(key: InboxKey): Promise<void> {
    const name = nameOf(key);
    if (!this.toUncount.has(name)) return;
    await this.attempts.uncount(key);
    this.toUncount.delete(name);
  }

  /** Returns the outcome of a try that could not begin, because the database is unreachable or has no free connection: the message waits. */
  private unavailable(error: unknown): Outcome {
    if (!this.isUnavailable)
      this.log?.warn("messaging: the inbox is unavailable; its messages wait", { error });
    this.isUnavailable = true;
    return unavailableOutcome(error);
  }

  /** Resets the tries of a dead letter. */
  async forget(key: InboxKey): Promise<void> {
    await this.attempts.forget(key);
  }

  /** Runs a suspect message: an earlier attempt never ended, so it may kill its process. At most one suspect message runs at a time in this process. */
  private async runSuspect(key: InboxKey, one: RunningTry): Promise<Outcome> {
    if (this.isTryingSuspect) return waitOutcome(SUSPECT);
    this.isTryingSuspect = true;
    try {
      const attempt = await this.attempts.begin(key, true);
      return attempt === null ? waitOutcome(SUSPECT) : await this.runCounted(key, one, attempt);
    } finally {
      this.isTryingSuspect = false;
    }
  }

  private async runCounted(
    key: InboxKey,
    one: RunningTry,
    { attempts, ended, isDone }: Attempt,
  ): Promise<Outcome> {
    const { maxTries, onDuplicate, onCounted, hasGivenUp, hasBegun } = one;
    if (isDone) {
      onDuplicate();
      return done;
    }
    onCounted(Math.min(attempts, maxTries));
    if (attempts > maxTries) return usedUpOutcome(maxTries, ended); // each delivery after the last try is counted, but is not a try
    const outcome = await this.tryIn(key, one);
    if (hasBegun()) this.isUnavailable = false;
    if (outcome.kind === "done") return outcome;
    const mustWait = !hasBegun() && isUnavailable(outcome.error);
    const isUncounted = mustWait || hasGivenUp() || openCircuitMs(outcome.error) !== null;
    const recorded = isUncounted ? this.attempts.uncount(key) : this.attempts.recordFailure(key);
    await recorded.catch(() => {
      if (isUncounted && this.toUncount.size < MAX_TO_UNCOUNT) this.toUncount.add(nameOf(key));
    }); // otherwise the attempt counts as one whose process died
    return mustWait ? this.unavailable(outcome.error) : outcome;
  }

  private async tryIn(key: InboxKey, one: InboxTry): Promise<Outcome> {
    const { signal } = one.message;
    const options = one.canRunAgain ? { signal } : { signal, retries: 0 };
    try {
      return await this.kernel.db.transaction((tx) => this.runIn(tx, key, one), options);
    } catch (error) {
      if (!(error instanceof RollbackError)) return outcomeOfThrown(error);
      if (error.outcome.kind === "done") one.onDuplicate();
      return error.outcome;
    }
  }

  private async runIn(tx: Transaction, key: InboxKey, one: InboxTry): Promise<Outcome> {
    const { message, work, settleIn } = one;
    const outcome = await work(tx);
    if (outcome.kind !== "done") throw new RollbackError(outcome);
    message.signal.throwIfAborted();
    const { now } = this.kernel;
    // Inserts the row if a dead letter of the same message has removed it meanwhile.
    const { changes } =
      await tx.execute`INSERT INTO framework_inbox (consumer, message, attempts, ended, seen_at, done_at)
      VALUES (${key.consumer}, ${key.message}, 1, 0, ${now}, ${now})
      ON CONFLICT (consumer, message) DO UPDATE SET done_at = excluded.done_at WHERE framework_inbox.done_at IS NULL`;
    if (changes === 0) throw new RollbackError(done); // another process has handled it meanwhile
    await settleIn?.(tx);
    return outcome;
  }

  private async prune(): Promise<void> {
    const { db, now } = this.kernel;
    const locked = db.dialect === "postgres" ? sql`FOR UPDATE SKIP LOCKED` : sql``; // without locks, PostgreSQL would also remove a row that is delivered again meanwhile
    for (let changes = PRUNE_BATCH; changes === PRUNE_BATCH;)
      ({ changes } = await db.execute`DELETE FROM framework_inbox WHERE (consumer, message) IN
        (SELECT consumer, message FROM framework_inbox WHERE seen_at < ${now} - ${KEEP_MS} LIMIT ${PRUNE_BATCH} ${locked})`);
  }
}

/** Thrown to roll back the transaction of a try; carries its outcome. */
class RollbackError extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super("the try is rolled back");
    this.outcome = outcome;
  }
}

/** Maximum number of attempts that wait to be uncounted. */
const MAX_TO_UNCOUNT = 10_000;

const nameOf = ({ consumer, message }: InboxKey): string => `${consumer}\n${message}`;

/** Whether the database is unreachable, or no connection became free in time. */
const isUnavailable = (error: unknown): boolean => HttpError.is(error) && error.status === 503;
