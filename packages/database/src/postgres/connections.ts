import { Client, Pool, type PoolClient, type PoolConfig } from "pg";
import { DatabaseUnavailableError } from "../database-errors.ts";
import type { Outcome, PoolMetrics } from "../backend.ts";
import type { Row } from "../queries.ts";
import type { SqlValue } from "../sql-value.ts";
import { isBroken } from "./postgres-errors.ts";
import { columnTypes } from "./postgres-types.ts";

/** Options of the pool of connections to PostgreSQL. */
export interface PostgresOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly minIdle: number;
  readonly maxLifetimeSecs: number;
  readonly connectionTimeoutSecs: number;
  readonly idleTimeoutSecs: number;
  readonly applicationName: string | undefined;
  readonly statementTimeoutMs: number;
  readonly idleInTransactionSecs: number;
  /** Time without a reply after which the server counts as dead; 0 disables it. */
  readonly answerTimeoutSecs: number;
  /** Called for an error of an idle connection. */
  readonly onIdleError: (error: Error) => void;
}

/** Maximum callers that wait for a connection. */
export const MAX_WAITING = 10_000;

/** A bounded set of connections to one PostgreSQL server, each used by one caller at a time. */
export class Connections {
  private readonly config: PoolConfig;
  private readonly pool: Pool;

  constructor(options: PostgresOptions) {
    this.config = clientConfig(options);
    this.pool = new Pool({
      ...this.config,
      max: options.poolSize,
      min: options.minIdle,
      idleTimeoutMillis: options.idleTimeoutSecs * 1000,
      maxLifetimeSeconds: Math.ceil(options.maxLifetimeSecs * (0.9 + Math.random() * 0.2)), // otherwise all would expire at once
    });
    this.pool.on("error", options.onIdleError);
    this.pool.on("connect", (client) => client.on("error", ignore)); // the current statement rejects by itself
  }

  /**
   * Runs one statement on any free connection, which is destroyed when its state is unknown afterwards.
   *
   * With callbacks: promises would cost more than the rest of this function.
   *
   * @throws DatabaseUnavailableError like `take`; otherwise the errors of `pg`
   */
  runOnce(
    name: string | undefined,
    text: string,
    values: readonly SqlValue[],
    lasting: boolean,
  ): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (this.pool.waitingCount >= MAX_WAITING) return reject(tooManyWait());
      this.pool.connect((fault, client, release) => {
        if (client === undefined) return reject(unreachable(fault));
        const query =
          name === undefined ? { text, values: [...values] } : { name, text, values: [...values] };
        client.query<Row>(query, (error: Error | null | undefined, result) => {
          const failed = error !== null && error !== undefined;
          release(lasting || (failed && isBroken(error)));
          if (failed) reject(error);
          else resolve({ rows: result.rows ?? [], changes: result.rowCount ?? 0 });
        });
      });
    });
  }

  /** @throws DatabaseUnavailableError when none is free in time or the server is unreachable */
  async take(signal?: AbortSignal): Promise<PoolClient> {
    signal?.throwIfAborted();
    if (this.pool.waitingCount >= MAX_WAITING) throw tooManyWait();
    try {
      const client = await this.pool.connect();
      if (signal?.aborted !== true) return client;
      client.release();
    } catch (cause) {
      throw unreachable(cause);
    }
    throw signal.reason;
  }

  /** A connection outside the pool. */
  async lone(): Promise<Client> {
    const client = new Client(this.config);
    client.on("error", () => {}); // the holder gets its end from "end"
    await client.connect();
    return client;
  }

  /** Asks the server to cancel the current statement of a connection; failures are ignored. */
  async cancel(client: PoolClient): Promise<void> {
    const { processID } = client as unknown as { processID: number | null };
    if (processID === null) return;
    try {
      const other = await this.lone();
      try {
        await other.query("SELECT pg_cancel_backend($1)", [processID]);
      } finally {
        await other.end();
      }
    } catch {
      // Then the statement runs to its end, but its connection is destroyed anyway.
    }
  }

  metrics(): PoolMetrics {
    const { totalCount: size, idleCount: idle, waitingCount: waiting } = this.pool;
    return { size, idle, waiting };
  }

  async close(): Promise<void> {
    if (!this.pool.ended && !this.pool.ending) await this.pool.end();
  }
}

const ignore = (): void => {};

const tooManyWait = (): DatabaseUnavailableError =>
  new DatabaseUnavailableError(`${MAX_WAITING} callers are waiting already`);

const unreachable = (cause: unknown): DatabaseUnavailableError =>
  new DatabaseUnavailableError(Error.isError(cause) ? cause.message : String(cause), { cause });

const clientConfig = (options: PostgresOptions): PoolConfig => ({
  connectionString: options.url,
  connectionTimeoutMillis: options.connectionTimeoutSecs * 1000,
  keepAlive: true,
  types: columnTypes,
  ...(options.applicationName === undefined ? {} : { application_name: options.applicationName }),
  ...(options.statementTimeoutMs === 0 ? {} : { statement_timeout: options.statementTimeoutMs }),
  ...(options.answerTimeoutSecs === 0 ? {} : { query_timeout: options.answerTimeoutSecs * 1000 }),
  idle_in_transaction_session_timeout: options.idleInTransactionSecs * 1000,
});
