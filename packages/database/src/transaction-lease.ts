import type { OpenTransaction } from "./backend.ts";
import { transactionIdle } from "./database-errors.ts";

/** A transaction on its leased connection, which is rolled back and given up when no statement comes for too long. */
export class TransactionLease {
  readonly open: OpenTransaction;
  private readonly idleMs: number;
  private readonly timer: NodeJS.Timeout;
  private running = 0;
  private hasExpired = false;
  private isOver = false;

  constructor(open: OpenTransaction, idleMs: number) {
    this.open = open;
    this.idleMs = idleMs;
    this.timer = setTimeout(() => this.expire(), idleMs);
  }

  /** Whether the connection was given up. */
  get over(): boolean {
    return this.isOver;
  }

  /** Restarts the idle timeout. @throws DATABASE_TRANSACTION_IDLE after it */
  touch(): void {
    if (this.hasExpired) throw transactionIdle(this.idleMs);
    this.timer.refresh();
  }

  /** Notes that a statement is running, which is not idle however long it takes. */
  begun(): void {
    this.running++;
  }

  done(): void {
    this.running--;
    if (!this.isOver) this.timer.refresh();
  }

  /** Commits and gives up the connection, even when the commit fails. Resolves to `false` when the database rolled back instead. */
  async commit(): Promise<boolean> {
    this.end();
    return await this.open.commit();
  }

  /** Rolls back and gives up the connection; never rejects. */
  async rollback(): Promise<void> {
    this.end();
    await this.open.rollback();
  }

  private expire(): void {
    if (this.running > 0) return void this.timer.refresh();
    this.hasExpired = true;
    void this.rollback();
  }

  private end(): void {
    this.isOver = true;
    clearTimeout(this.timer);
  }
}
