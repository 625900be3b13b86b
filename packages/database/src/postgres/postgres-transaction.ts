import type { Execution, OpenTransaction, Outcome } from "../backend.ts";
import { CommitUnknownError, DatabaseError } from "../database-errors.ts";
import type { Row } from "../queries.ts";
import { Statement } from "../statement.ts";
import type { PostgresClient } from "./postgres-client.ts";

/** Maximum wait for the reply to a rollback, after which the connection is destroyed. */
const ROLLBACK_MS = 1000;

/** One transaction on its leased connection. */
export class PostgresTransaction implements OpenTransaction {
  private readonly client: PostgresClient;
  private readonly limit: AbortSignal | undefined;
  private hasEnded = false;
  private cursors = 0;

  /** @param limit aborts when the time limit of the transaction is reached, also during the commit; `undefined` without a time limit */
  constructor(client: PostgresClient, limit: AbortSignal | undefined) {
    this.client = client;
    this.limit = limit;
  }

  async run(statement: Statement, { signal }: Execution): Promise<Outcome> {
    return await this.client.run(statement, signal);
  }

  async script(text: string, signal?: AbortSignal): Promise<void> {
    await this.client.script(text, signal);
  }

  async *stream({ text, values }: Statement, batchSize: number, signal?: AbortSignal): AsyncGenerator<Row[]> {
    const cursor = `cursor_${++this.cursors}`;
    await this.client.run(new Statement(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${text}`, values), signal);
    const fetch = new Statement(`FETCH ${batchSize} FROM ${cursor}`, []);
    try {
      for (;;) {
        const { rows } = await this.client.run(fetch, signal);
        yield rows;
        if (rows.length < batchSize) return;
      }
    } finally {
      if (!this.client.unusable) await this.client.script(`CLOSE ${cursor}`).catch(() => {}); // after a failure the cursor is already closed
    }
  }

  async notify(channel: string, payload: string): Promise<void> {
    await this.client.run(new Statement("SELECT pg_notify($1, $2)", [channel, payload]));
  }

  async commit(): Promise<boolean> {
    try {
      const { command } = await this.client.command("COMMIT", this.limit);
      return command === "COMMIT"; // for an aborted transaction the reply is ROLLBACK, without an error
    } catch (error) {
      throw error instanceof DatabaseError ? error : new CommitUnknownError(error);
    } finally {
      this.end();
    }
  }

  async rollback(): Promise<void> {
    if (this.hasEnded) return;
    try {
      if (!this.client.unusable) await this.client.rollback(ROLLBACK_MS);
    } catch {
      // A connection that cannot roll back is destroyed, and the server then rolls back.
    } finally {
      this.end();
    }
  }

  private end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.client.release();
  }
}
