import type { OpenTransaction, Outcome, Session } from "./backend.ts";
import { transactionOver } from "./database-errors.ts";
import { checkNotification } from "./notification.ts";
import type { Row, Transaction } from "./queries.ts";
import { SessionQueries } from "./session-queries.ts";
import type { Statement } from "./statement.ts";

/** The transaction that is passed to its function: usable until it ends, with nested transactions as savepoints. */
export class RunningTransaction extends SessionQueries implements Transaction {
  private readonly open: GuardedTransaction;
  private readonly depth: number;

  constructor(open: OpenTransaction | GuardedTransaction, signal: AbortSignal | undefined, depth = 0) {
    const guarded = open instanceof GuardedTransaction ? open : new GuardedTransaction(open);
    super(guarded, signal);
    this.open = guarded;
    this.depth = depth;
  }

  async transaction<T>(run: (inner: Transaction) => Promise<T>): Promise<T> {
    const name = `inner_${this.depth + 1}`;
    await this.open.script(`SAVEPOINT ${name}`);
    const inner = new GuardedTransaction(this.open);
    try {
      const value = await run(new RunningTransaction(inner, undefined, this.depth + 1));
      inner.end();
      await this.open.script(`RELEASE SAVEPOINT ${name}`);
      return value;
    } catch (error) {
      inner.end();
      await this.open.script(`ROLLBACK TO SAVEPOINT ${name}; RELEASE SAVEPOINT ${name}`);
      throw error;
    }
  }

  async script(text: string): Promise<void> {
    await this.open.script(text);
  }

  async notify(channel: string, payload = ""): Promise<void> {
    checkNotification(channel, payload);
    await this.open.notify(channel, payload);
  }

  /** Marks the transaction as ended. */
  end(): void {
    this.open.end();
  }
}

/** Rejects statements after the end: on a returned connection they would run in another caller's transaction. */
class GuardedTransaction implements Session {
  private readonly open: Pick<OpenTransaction, "run" | "stream" | "notify" | "script">;
  private ended = false;

  constructor(open: Pick<OpenTransaction, "run" | "stream" | "notify" | "script">) {
    this.open = open;
  }

  run(statement: Statement, signal?: AbortSignal, first?: boolean): Outcome | Promise<Outcome> {
    this.check();
    return this.open.run(statement, signal, first);
  }

  stream(statement: Statement, batchSize: number, signal?: AbortSignal): AsyncIterableIterator<Row[]> {
    this.check();
    return this.open.stream(statement, batchSize, signal);
  }

  async script(text: string): Promise<void> {
    this.check();
    await this.open.script(text);
  }

  async notify(channel: string, payload: string): Promise<void> {
    this.check();
    await this.open.notify(channel, payload);
  }

  end(): void {
    this.ended = true;
  }

  private check(): void {
    if (this.ended) throw transactionOver();
  }
}
