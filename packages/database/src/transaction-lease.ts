import type { Awaitable } from "@framework/core";
import type { OpenTransaction } from "./backend.ts";
import type { Idler, IdleLimit } from "./idle-limit.ts";
import { transactionIdle } from "./database-errors.ts";

/** A transaction on its leased connection, which is rolled back and given up when no statement comes for too long. */
export class TransactionLease implements Idler {
  readonly open: OpenTransaction;
  private readonly limit: IdleLimit;
  /** When a statement last began or ended. */
  usedAt: number = performance.now();
  private running = 0;
  private hasExpired = false;
  private isOver = false;

  constructor(open: OpenTransaction, limit: IdleLimit) {
    this.open = open;
    this.limit = limit;
    limit.add(this);
  }

  /** Whether the connection was given up. */
  get over(): boolean {
    return this.isOver;
  }

  /** Restarts the idle timeout. @throws DATABASE_TRANSACTION_IDLE after it */
  touch(): void {
    if (this.hasExpired) throw transactionIdle(this.limit.idleMs);
    this.usedAt = performance.now();
  }

  /** Notes that a statement is running, which is not idle however long it takes. */
  begun(): void {
    this.running++;
  }

  done(): void {
    this.running--;
    this.usedAt = performance.now();
  }

  /** Commits and gives up the connection, even when the commit fails. `false` when the database rolled back instead. */
  commit(): Awaitable<boolean> {
    this.end();
    return this.open.commit();
  }

  /** Rolls back and gives up the connection; never throws or rejects. */
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
    this.isOver = true;
    this.limit.remove(this);
  }
}
