import type { Execution, BufferedNotifications, OpenTransaction, Outcome } from "../backend.ts";
import { transactionEnded } from "../database-errors.ts";
import type { LocalNotifications } from "../local-notifications.ts";
import type { Row } from "../queries.ts";
import type { Statement } from "../statement.ts";
import { inBatches } from "./in-batches.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { leavesState } from "./lasting-state.ts";
import { sqliteError } from "./sqlite-errors.ts";
import { toParameters } from "./sqlite-parameters.ts";

export interface SqliteTransactionParts {
  readonly connection: SqliteConnection;
  /** Releases the write mutex. */
  readonly release: () => void;
  /** Closes the connection, whose state is unknown, unless it is the only one of an in-memory database. */
  readonly discard: () => void;
  readonly notifications: LocalNotifications;
  readonly readOnly: boolean;
}

/** The transaction that holds the write mutex. */
export class SqliteTransaction implements OpenTransaction {
  private readonly parts: SqliteTransactionParts;
  readonly bufferedNotifications: BufferedNotifications;
  private readonly buffered: [channel: string, payload: string][] = [];
  private hasEnded = false;
  private leavesState = false;
  /** Rows of streams that are still open. */
  private readonly streams = new Set<Generator<Row>>();

  constructor(parts: SqliteTransactionParts) {
    const { buffered } = this;
    this.parts = parts;
    this.bufferedNotifications = {
      get count() {
        return buffered.length;
      },
      dropFrom: (count) => void (buffered.length = count),
    };
    if (parts.readOnly) parts.connection.script("PRAGMA query_only = ON");
  }

  run(statement: Statement, { first }: Execution): Outcome {
    const { connection } = this.parts;
    const { text, values } = statement;
    return this.act(() => {
      const prepared = connection.prepare(text);
      if (prepared.leavesState) this.leavesState = true;
      return connection.run(prepared, toParameters(values), first);
    }, text);
  }

  script(text: string): void {
    if (leavesState(text)) this.leavesState = true;
    this.act(() => this.parts.connection.script(text), text);
  }

  async *stream({ text, values }: Statement, batchSize: number): AsyncGenerator<Row[]> {
    if (leavesState(text)) this.leavesState = true;
    const rows = this.parts.connection.rows(text, toParameters(values));
    this.streams.add(rows);
    try {
      yield* inBatches(rows, batchSize, text);
    } finally {
      this.streams.delete(rows);
    }
  }

  notify(channel: string, payload: string): void {
    this.buffered.push([channel, payload]);
  }

  commit(): boolean {
    try {
      this.act(() => {
        this.endStreams();
        this.parts.connection.execute("COMMIT");
      }, "COMMIT");
    } finally {
      this.rollback(); // ends the transaction, which is still open after a failed COMMIT
    }
    for (const [channel, payload] of this.buffered) this.parts.notifications.send(channel, payload);
    return true;
  }

  rollback(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    const { connection, readOnly, discard, release } = this.parts;
    try {
      this.endStreams();
      if (connection.inTransaction) connection.script("ROLLBACK");
      if (readOnly) connection.script("PRAGMA query_only = OFF");
      if (this.leavesState) discard();
    } catch {
      discard(); // closing it rolls back
    } finally {
      release();
    }
  }

  /** Ends the reads of streams whose reader has stopped without closing them: the connection would keep their snapshot, and could not write once another process has. */
  private endStreams(): void {
    for (const rows of this.streams) rows.return(undefined);
    this.streams.clear();
  }

  private act<T>(act: () => T, text: string): T {
    if (this.hasEnded) throw transactionEnded(); // the connection may already be in another transaction
    try {
      return act();
    } catch (error) {
      throw sqliteError(error, text);
    }
  }
}
