import { Client, Pool, type PoolClient, type PoolConfig } from "pg";
import { DatabaseUnavailableError } from "../database-errors.ts";
import type { Outcome, PoolFigures } from "../backend.ts";
import type { Row } from "../queries.ts";
import type { SqlValue } from "../sql-value.ts";
import { isBroken } from "./postgres-errors.ts";
import { columnTypes } from "./postgres-types.ts";

/** How connections to PostgreSQL are made and kept. */
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
  /** A server that says nothing for so long is taken for dead; 0 is for ever. */
  readonly answerTimeoutSecs: number;
  /** A fault of a connection that nobody uses. */
  readonly onIdleError: (error: Error) => void;
}

/** Callers that wait for a connection at most. */
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
      maxLifetimeSeconds: Math.ceil(options.maxLifetimeSecs * (0.9 + Math.random() * 0.2)), // or all would be renewed at once
    });
    this.pool.on("error", options.onIdleError);
    this.pool.on("connect", (client) => client.on("error", ignore)); // the statement under way rejects by itself
  }

  /**
   * Runs one statement on any free connection, which is destroyed when nobody can know its state afterwards.
   *
   * By callbacks: the promises on this way would cost more than all else that is done for a statement here.
   *
   * @throws DatabaseUnavailableError as `take`; else what `pg` throws
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

  /** @throws DatabaseUnavailableError when none is free in time or the server cannot be reached */
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
    client.on("error", () => {}); // whoever holds it hears of its end by "end"
    await client.connect();
    return client;
  }

  /** Asks the server to stop what a connection is doing; a failure is none of the caller's business. */
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
      // The statement then runs to its end, and its connection is gone all the same.
    }
  }

  figures(): PoolFigures {
    const { totalCount: size, idleCount: idle, waitingCount: waiting } = this.pool;
    return { size, idle, waiting };
  }

  async close(): Promise<void> {
    if (!this.pool.ended && !this.pool.ending) await this.pool.end();
  }
}

const ignore = (): void => {};

const tooManyWait = (): DatabaseUnavailableError =>
  new DatabaseUnavailableError(`${MAX_WAITING} callers wait already`);

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
