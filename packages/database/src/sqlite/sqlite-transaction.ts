import { FrameworkError } from "@framework/core";
import type { OpenTransaction, Outcome } from "../backend.ts";
import type { LocalNotifications } from "../local-notifications.ts";
import type { Row } from "../queries.ts";
import type { Statement } from "../statement.ts";
import { inBatches } from "./in-batches.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { sqliteError } from "./sqlite-errors.ts";
import { toParameters } from "./sqlite-parameters.ts";

export interface SqliteTransactionParts {
  readonly connection: SqliteConnection;
  /** Releases the write mutex. */
  readonly give: () => void;
  readonly idleInTransactionMs: number;
  readonly notifications: LocalNotifications;
  readonly readOnly: boolean;
}

/** The transaction that holds the write mutex. */
export class SqliteTransaction implements OpenTransaction {
  private readonly parts: SqliteTransactionParts;
  private readonly notes: [channel: string, payload: string][] = [];
  private readonly idle: NodeJS.Timeout;
  private over = false;
  private expired = false;

  constructor(parts: SqliteTransactionParts) {
    this.parts = parts;
    if (parts.readOnly) parts.connection.script("PRAGMA query_only = ON");
    this.idle = setTimeout(() => this.expire(), parts.idleInTransactionMs);
  }

  run(statement: Statement, _signal?: AbortSignal, first?: boolean): Outcome {
    const { connection } = this.parts;
    const { text, values } = statement;
    return this.act(() => connection.run(connection.prepare(text), toParameters(values), first), text);
  }

  script(text: string): void {
    this.act(() => this.parts.connection.script(text), text);
  }

  async *stream({ text, values }: Statement, batchSize: number): AsyncGenerator<Row[]> {
    this.touch();
    yield* inBatches(this.parts.connection.rows(text, toParameters(values)), batchSize, text);
  }

  notify(channel: string, payload: string): void {
    this.notes.push([channel, payload]);
  }

  commit(): void {
    this.act(() => this.parts.connection.script("COMMIT"), "COMMIT");
    this.end();
    for (const [channel, payload] of this.notes) this.parts.notifications.send(channel, payload);
  }

  rollback(): void {
    if (this.over) return;
    try {
      if (this.parts.connection.inTransaction) this.parts.connection.script("ROLLBACK");
    } finally {
      this.end();
    }
  }

  private act<T>(act: () => T, text: string): T {
    this.touch();
    try {
      return act();
    } catch (error) {
      throw sqliteError(error, text);
    }
  }

  private touch(): void {
    if (this.expired) {
      throw new FrameworkError(
        "DATABASE_TRANSACTION_IDLE",
        `the transaction was rolled back after ${this.parts.idleInTransactionMs} ms without a statement, because others wait to write`,
      );
    }
    this.idle.refresh();
  }

  private expire(): void {
    this.expired = true;
    this.rollback();
  }

  private end(): void {
    if (this.over) return;
    this.over = true;
    clearTimeout(this.idle);
    if (this.parts.readOnly) this.parts.connection.script("PRAGMA query_only = OFF");
    this.parts.give();
  }
}
