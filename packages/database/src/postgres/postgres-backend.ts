import type { Backend, BeginOptions, Execution, OpenTransaction, Outcome, PoolMetrics } from "../backend.ts";
import type { Row } from "../queries.ts";
import { Statement } from "../statement.ts";
import { Connections, type PostgresOptions } from "./connections.ts";
import { Listener } from "./listener.ts";
import { PostgresClient, type PostgresClientParts } from "./postgres-client.ts";
import { isOutdated, postgresError } from "./postgres-errors.ts";
import { PostgresTransaction } from "./postgres-transaction.ts";
import { StatementNames } from "./statement-names.ts";

type LeaseOptions = Pick<PostgresClientParts, "replyTimeoutMs" | "readOnly">;

const plainLease: LeaseOptions = { replyTimeoutMs: undefined, readOnly: false };

/** PostgreSQL through a pool of connections of `pg`. */
export class PostgresBackend implements Backend {
  readonly dialect = "postgres";
  readonly maxTransactions: number;
  readonly idleInTransactionMs: number;
  private readonly connections: Connections;
  /** One connection for urgent statements, opened on first use. */
  private readonly urgent: Connections;
  private readonly names = new StatementNames();
  private readonly listener: Listener;

  constructor(options: PostgresOptions) {
    this.idleInTransactionMs = options.idleInTransactionSecs * 1000;
    this.maxTransactions = options.poolSize;
    this.connections = new Connections(options);
    this.urgent = new Connections({ ...options, poolSize: 1, minIdle: 0 });
    this.listener = new Listener(() => this.connections.openSeparate());
  }

  async run(statement: Statement, execution: Execution): Promise<Outcome> {
    const { signal, isUrgent = false } = execution;
    const connections = isUrgent ? this.urgent : this.connections;
    for (let retriesLeft = this.maxTransactions; ; retriesLeft--) {
      try {
        if (signal !== undefined) return await this.runUntil(connections, statement, execution);
        return await connections.runOnce(statement, this.names.of(statement.text), execution);
      } catch (error) {
        // The statement did not run. Each connection that has an outdated plan fails once and is replaced.
        if (isOutdated(error) && retriesLeft > 0) continue;
        throw signal === undefined ? postgresError(error, statement.text) : error;
      }
    }
  }

  private async runUntil(
    connections: Connections,
    statement: Statement,
    execution: Execution,
  ): Promise<Outcome> {
    const from = performance.now();
    const client = await this.take(connections, execution.signal).finally(() => {
      execution.waitedMs = performance.now() - from;
    });
    try {
      return await client.run(statement, execution.signal);
    } finally {
      client.release();
    }
  }

  async begin({ isolation, readOnly, signal, timeoutMs }: BeginOptions): Promise<OpenTransaction> {
    const client = await this.take(this.connections, signal, { replyTimeoutMs: timeoutMs, readOnly });
    try {
      const begin = `BEGIN ISOLATION LEVEL ${isolation.toUpperCase()}${readOnly ? " READ ONLY" : ""}`;
      await client.script(
        timeoutMs === undefined ? begin : `${begin}; SET LOCAL statement_timeout = 0`,
        signal,
      );
      return new PostgresTransaction(client, timeoutMs === undefined ? undefined : signal);
    } catch (error) {
      client.release();
      throw error;
    }
  }

  async *stream(statement: Statement, batchSize: number, signal?: AbortSignal): AsyncGenerator<Row[]> {
    const transaction = await this.begin({
      isolation: "read committed",
      readOnly: false,
      signal,
      timeoutMs: undefined,
    });
    try {
      yield* transaction.stream(statement, batchSize, signal);
      await transaction.commit();
    } finally {
      await transaction.rollback();
    }
  }

  async notify(channel: string, payload: string): Promise<void> {
    const statement = new Statement("SELECT pg_notify($1, $2)", [channel, payload]);
    await this.run(statement, { signal: undefined, first: false, waitedMs: 0, workedMs: null });
  }

  async listen(
    channel: string,
    listener: (payload: string) => void,
    onGap: () => void,
  ): Promise<() => Promise<void>> {
    return await this.listener.add(channel, listener, onGap);
  }

  metrics(): PoolMetrics {
    return this.connections.metrics();
  }

  async close(graceMs?: number): Promise<void> {
    await Promise.all([this.listener.close(), this.connections.close(graceMs), this.urgent.close(graceMs)]);
  }

  private async take(
    connections: Connections,
    signal: AbortSignal | undefined,
    lease: LeaseOptions = plainLease,
  ): Promise<PostgresClient> {
    const { names } = this;
    const hasTimeLimit = lease.replyTimeoutMs !== undefined; // its signal aborts at the limit
    const client = await connections.take(signal, hasTimeLimit ? "signal" : "pool");
    return new PostgresClient(client, { connections, names, ...lease });
  }
}
