import type { Backend, BeginOptions, OpenTransaction, Outcome, PoolMetrics } from "../backend.ts";
import type { ListenOptions, Row } from "../queries.ts";
import { Statement } from "../statement.ts";
import { Connections, type PostgresOptions } from "./connections.ts";
import { Listener } from "./listener.ts";
import { PostgresClient } from "./postgres-client.ts";
import { postgresError } from "./postgres-errors.ts";
import { PostgresTransaction } from "./postgres-transaction.ts";
import { StatementNames } from "./statement-names.ts";

/** PostgreSQL through a pool of connections of `pg`. */
export class PostgresBackend implements Backend {
  readonly dialect = "postgres";
  private readonly connections: Connections;
  private readonly names = new StatementNames();
  private readonly listener: Listener;

  constructor(options: PostgresOptions) {
    this.connections = new Connections(options);
    this.listener = new Listener(() => this.connections.lone());
  }

  async run(statement: Statement, signal?: AbortSignal): Promise<Outcome> {
    if (signal !== undefined) return await this.runUntil(statement, signal);
    const { text, values } = statement;
    const { name, lasting } = this.names.of(text);
    try {
      return await this.connections.runOnce(name, text, values, lasting);
    } catch (error) {
      throw postgresError(error, text);
    }
  }

  private async runUntil(statement: Statement, signal: AbortSignal): Promise<Outcome> {
    const client = await this.take(signal);
    try {
      return await client.run(statement, signal);
    } finally {
      client.release();
    }
  }

  async begin({ isolation, readOnly, signal }: BeginOptions): Promise<OpenTransaction> {
    const client = await this.take(signal);
    try {
      await client.script(`BEGIN ISOLATION LEVEL ${isolation.toUpperCase()}${readOnly ? " READ ONLY" : ""}`);
      return new PostgresTransaction(client);
    } catch (error) {
      client.release();
      throw error;
    }
  }

  async *stream(statement: Statement, batchSize: number, signal?: AbortSignal): AsyncGenerator<Row[]> {
    const transaction = await this.begin({ isolation: "read committed", readOnly: false, signal });
    try {
      yield* transaction.stream(statement, batchSize, signal);
      await transaction.commit();
    } finally {
      await transaction.rollback();
    }
  }

  async notify(channel: string, payload: string): Promise<void> {
    await this.run(new Statement("SELECT pg_notify($1, $2)", [channel, payload]));
  }

  async listen(
    channel: string,
    listener: (payload: string) => void,
    options: ListenOptions,
  ): Promise<() => Promise<void>> {
    return await this.listener.add(channel, listener, options);
  }

  metrics(): PoolMetrics {
    return this.connections.metrics();
  }

  async close(): Promise<void> {
    await this.listener.close();
    await this.connections.close();
  }

  private async take(signal?: AbortSignal): Promise<PostgresClient> {
    return new PostgresClient(await this.connections.take(signal), this.connections, this.names);
  }
}
