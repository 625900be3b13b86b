import type { Awaitable } from "@framework/core";
import type { OpenTransaction } from "../backend.ts";
import type { IdleTransaction, IdleLimit } from "./idle-limit.ts";
import { transactionIdle } from "../database-errors.ts";

/** A transaction on its leased connection. After the idle timeout it is rolled back and the connection released. */
export class TransactionLease implements IdleTransaction {
  readonly open: OpenTransaction;
  private readonly limit: IdleLimit;
  /** Time of the last use, such as the begin or end of a statement. */
  usedAt: number = performance.now();
  private running = 0;
  private hasExpired = false;
  private hasEnded = false;

  constructor(open: OpenTransaction, limit: IdleLimit) {
    this.open = open;
    this.limit = limit;
    limit.add(this);
  }

  /** Whether the commit or rollback has begun. */
  get ended(): boolean {
    return this.hasEnded;
  }

  /** Restarts the idle timeout. @throws DATABASE_TRANSACTION_IDLE if it has already expired */
  touch(): void {
    if (this.hasExpired) throw transactionIdle(this.limit.idleMs);
    this.usedAt = performance.now();
  }

  /** Records the start of a statement: while one is running, the transaction is not idle. */
  beginStatement(): void {
    this.running++;
  }

  endStatement(): void {
    this.running--;
    this.recordUse();
  }

  /** Restarts the idle timeout at the end of a statement. A synchronous one may have taken longer than the timeout. */
  recordUse(): void {
    this.usedAt = performance.now();
  }

  /** Commits and releases the connection, even if the commit fails. Returns `false` if the database rolled back instead. */
  commit(): Awaitable<boolean> {
    this.end();
    return this.open.commit();
  }

  /** Rolls back and releases the connection; never throws or rejects. */
  rollback(): Awaitable<void> {
    this.end();
    return this.open.rollback();
  }

  /** Rolls back, unless a statement is running. */
  expire(): void {
    if (this.running > 0) return void (this.usedAt = performance.now());
    this.hasExpired = true;
    void this.rollback();
  }

  private end(): void {
    this.hasEnded = true;
    this.limit.remove(this);
  }
}
