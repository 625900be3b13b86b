import { FrameworkError } from "@framework/core";
import { isPromise } from "@framework/core/feature";
import type { Execution, OpenTransaction, Outcome, Session } from "../backend.ts";
import { CommitCallbacks } from "./commit-callbacks.ts";
import {
  DatabaseError,
  DatabaseUnavailableError,
  nestedTransactionOpen,
  transactionAborted,
  transactionEnded,
} from "../database-errors.ts";
import type { Row } from "../queries.ts";
import type { Statement } from "../statement.ts";
import type { TransactionLease } from "./transaction-lease.ts";

/**
 * One level of a transaction: the transaction itself, or a savepoint in it.
 *
 * Rejects statements after its end, while a nested level is open, and after a statement of this level has failed: PostgreSQL aborts the transaction
 * then and SQLite does not, but both must behave the same.
 */
export class TransactionScope implements Session {
  /** Callbacks after the outermost commit, shared by all levels. */
  readonly callbacks: CommitCallbacks;
  private readonly lease: TransactionLease;
  private readonly depth: number;
  private readonly callbacksBefore: number;
  private readonly notificationsBefore: number;
  private hasEnded = false;
  private failure: unknown = null;
  private nested: TransactionScope | null = null;

  constructor(lease: TransactionLease, depth = 0, callbacks: CommitCallbacks = new CommitCallbacks()) {
    this.lease = lease;
    this.depth = depth;
    this.callbacks = callbacks;
    this.callbacksBefore = callbacks.count;
    this.notificationsBefore = lease.open.bufferedNotifications?.count ?? 0;
  }

  run(statement: Statement, execution: Execution): Outcome | Promise<Outcome> {
    return this.attempt(statement.text, (open) => open.run(statement, execution));
  }

  async *stream(statement: Statement, batchSize: number, signal?: AbortSignal): AsyncGenerator<Row[]> {
    this.check();
    const batches = this.lease.open.stream(statement, batchSize, signal);
    try {
      for (;;) {
        const { done, value } = await this.track(batches.next(), statement.text);
        this.check(); // the level may have ended meanwhile
        if (done === true) return;
        yield value;
        this.check();
      }
    } finally {
      await batches.return?.();
    }
  }

  async script(text: string, signal?: AbortSignal): Promise<void> {
    await this.attempt(text, (open) => open.script(text, signal));
  }

  async notify(channel: string, payload: string): Promise<void> {
    await this.attempt("NOTIFY", (open) => open.notify(channel, payload));
  }

  onCommit(callback: () => void): void {
    this.check();
    this.callbacks.add(callback);
  }

  /** Opens a nested level. @throws DATABASE_TRANSACTION_NESTED while another one is open */
  async enter(): Promise<TransactionScope> {
    this.check();
    const nested = new TransactionScope(this.lease, this.depth + 1, this.callbacks);
    this.nested = nested;
    try {
      await this.lease.open.script(`SAVEPOINT ${nested.savepoint}`);
      return nested;
    } catch (error) {
      this.nested = null;
      throw this.recordFailure(error, "SAVEPOINT");
    }
  }

  /** Keeps the changes of a nested level. @throws DATABASE_TRANSACTION_ABORTED if one of its statements has failed */
  async keep(nested: TransactionScope): Promise<void> {
    nested.finish();
    await this.leave(nested, `RELEASE SAVEPOINT ${nested.savepoint}`);
  }

  /** Rolls back a nested level, and drops its callbacks and notifications. */
  async undo(nested: TransactionScope): Promise<void> {
    nested.end();
    this.callbacks.dropFrom(nested.callbacksBefore);
    this.lease.open.bufferedNotifications?.dropFrom(nested.notificationsBefore);
    if (this.nested !== nested) return; // its release has failed, so this level has failed too
    if (this.lease.ended) return; // the whole transaction has been rolled back
    const { savepoint } = nested;
    await this.leave(nested, `ROLLBACK TO SAVEPOINT ${savepoint}; RELEASE SAVEPOINT ${savepoint}`);
  }

  /** Ends the level successfully. Throws the first failure of the level, if any. */
  finish(): void {
    if (this.hasEnded) throw transactionEnded();
    this.lease.touch();
    if (this.nested !== null) throw nestedTransactionOpen();
    this.hasEnded = true;
    if (this.failure !== null) throw this.failure;
  }

  /** Ends the level without checks. */
  end(): void {
    this.nested?.end();
    this.hasEnded = true;
  }

  /** The error of a commit that the database replaced by a rollback. */
  get rollbackError(): unknown {
    return this.failure ?? transactionAborted(null, null);
  }

  private get savepoint(): string {
    return `inner_${this.depth}`;
  }

  private async leave(nested: TransactionScope, text: string): Promise<void> {
    this.nested = null;
    nested.end();
    try {
      await this.lease.open.script(text);
    } catch (error) {
      throw this.recordFailure(error, text);
    }
  }

  private attempt<T>(text: string, act: (open: OpenTransaction) => T | Promise<T>): T | Promise<T> {
    this.check();
    try {
      const result = act(this.lease.open);
      if (isPromise(result)) return this.track(result, text);
      this.lease.recordUse();
      return result;
    } catch (error) {
      this.lease.recordUse();
      throw this.recordFailure(error, text);
    }
  }

  private async track<T>(result: Promise<T>, text: string): Promise<T> {
    this.lease.beginStatement();
    try {
      return await result;
    } catch (error) {
      throw this.recordFailure(error, text);
    } finally {
      this.lease.endStatement();
    }
  }

  private check(): void {
    if (this.hasEnded) throw transactionEnded();
    this.lease.touch();
    if (this.nested !== null) throw nestedTransactionOpen();
    if (this.failure !== null) throw this.failure;
  }

  /** Records the first failure of this level. Returns the error to throw: the recorded failure, if the level had already failed. */
  private recordFailure(error: unknown, text: string): unknown {
    if (wasNotSent(error)) return error;
    if (this.failure !== null) return this.failure;
    this.failure = error instanceof DatabaseError ? transactionAborted(error, text) : error;
    return error;
  }
}

/** Whether an error was thrown before the statement was sent, so that the transaction is not affected. */
const wasNotSent = (error: unknown): boolean =>
  FrameworkError.is(error) &&
  !(error instanceof DatabaseError) &&
  !(error instanceof DatabaseUnavailableError);
