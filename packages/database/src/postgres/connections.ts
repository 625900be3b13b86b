import { messageOf } from "@framework/core/feature";
import type { Client, Connection, CustomTypesConfig, Pool, PoolClient, PoolConfig } from "pg";
import { orAborted, settlesWithin } from "../deadlines.ts";
import { databaseClosed, DatabaseUnavailableError } from "../database-errors.ts";
import type { Execution, Outcome, PoolMetrics } from "../backend.ts";
import type { Statement } from "../statement.ts";
import { isBroken, isOutdated, isReadOnly, isReplyTimeout } from "./postgres-errors.ts";
import { pg } from "./pg.ts";
import { columnTypes } from "./postgres-types.ts";
import { sendStatement } from "./send-statement.ts";
import { ReplyTracker } from "./reply-tracker.ts";
import type { StatementProperties } from "./statement-names.ts";

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
  /** Maximum time until the complete result of a statement has arrived, after which its connection is closed; 0 disables it. */
  readonly answerTimeoutSecs: number;
  /** Called with the error of an idle connection. */
  readonly onIdleError: (error: Error) => void;
}

/** Maximum number of callers waiting for a connection. */
export const MAX_WAITING = 10_000;

/** A bounded set of connections to one PostgreSQL server, each used by one caller at a time. */
export class Connections {
  /** Parsers of columns. */
  readonly types: CustomTypesConfig = columnTypes();
  private readonly config: PoolConfig;
  private readonly pool: Pool;
  private readonly replies = new ReplyTracker();
  private readonly open = new Set<PoolClient>();
  private readonly leased = new Set<PoolClient>();
  private cancels = 0;

  constructor(options: PostgresOptions) {
    this.config = { ...clientConfig(options), types: this.types };
    this.pool = new (pg().Pool)({
      ...this.config,
      max: options.poolSize,
      min: options.minIdle,
      idleTimeoutMillis: options.idleTimeoutSecs * 1000,
      maxLifetimeSeconds: options.maxLifetimeSecs * (0.9 + Math.random() * 0.2), // jitter, so that the pools of several workers do not expire together
    });
    this.pool.on("error", options.onIdleError);
    this.pool.on("connect", (client) => {
      client.on("error", ignore); // the current statement rejects separately
      this.open.add(client);
      this.replies.recordConnection(client);
    });
    this.pool.on("remove", (client) => this.open.delete(client));
    this.pool.on("acquire", (client) => this.leased.add(client));
    this.pool.on("release", (_error: unknown, client: PoolClient) => this.leased.delete(client));
  }

  /**
   * Runs one statement on any free connection, which is destroyed if its state is unknown afterwards.
   *
   * Uses callbacks, because promises would cost more than the rest of this function.
   *
   * @throws DatabaseUnavailableError like `take`; otherwise the errors of `pg`
   */
  runOnce(statement: Statement, known: StatementProperties, execution: Execution): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (this.pool.waitingCount >= MAX_WAITING) return reject(tooManyWaiting());
      const from = performance.now();
      this.pool.connect((fault, client, release) => {
        execution.waitedMs = performance.now() - from;
        if (client === undefined) return reject(this.unreachable(fault));
        if (this.replies.isStale(client)) {
          release(true);
          return resolve(this.runOnce(statement, known, execution));
        }
        const sentAt = performance.now();
        const { types } = this;
        sendStatement(client, statement, known, { types }, (error, result) => {
          const failed = error !== null && error !== undefined;
          if (failed && isReplyTimeout(error)) this.reportTimeout(client, sentAt);
          else this.replies.recordReply(client);
          if (failed && isReadOnly(error)) this.replaceAll();
          release(known.changesSession || (failed && (isBroken(error) || isOutdated(error))));
          if (failed) reject(error);
          else resolve({ rows: result.rows ?? [], changes: result.rowCount ?? 0 });
        });
      });
    });
  }

  /**
   * Leases a connection.
   *
   * @param waitLimit limit of the wait for a free connection: `connectionTimeoutSecs`, or only the signal
   * @throws DatabaseUnavailableError if none is free in time or the server is unreachable; the signal's reason if it aborts first
   */
  async take(signal?: AbortSignal, waitLimit: "pool" | "signal" = "pool"): Promise<PoolClient> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.pool.waitingCount >= MAX_WAITING) throw tooManyWaiting();
      const connected = this.pool.connect();
      const client = await orAborted(connected, signal).catch((cause: unknown) => {
        if (signal?.aborted === true) {
          connected.then((unused) => unused.release(), ignore);
          throw signal.reason;
        }
        if (waitLimit === "signal" && isExhausted(cause)) return null;
        throw this.unreachable(cause);
      });
      if (client !== null && !this.replies.isStale(client)) return client;
      client?.release(true);
    }
  }

  /** Reports a statement without a reply: cancels it, and replaces idle connections if no other statement got a reply since it was sent. */
  reportTimeout(client: PoolClient, sentAt: number): void {
    this.replies.recordTimeout(sentAt);
    void this.cancel(client);
  }

  /** Replaces each connection when it is next leased, unless it receives another reply before that. */
  replaceAll(): void {
    this.replies.replaceAll();
  }

  /** Records a reply of the server. */
  recordReply(client: PoolClient): void {
    this.replies.recordReply(client);
  }

  /** Converts an error of the pool to a `DatabaseUnavailableError`. */
  private unreachable(cause: unknown): DatabaseUnavailableError {
    if (this.pool.ending) return databaseClosed(cause);
    const message = messageOf(cause);
    const waitMs = this.config.connectionTimeoutMillis;
    const reason = isExhausted(cause)
      ? `no connection became free in ${waitMs} ms; all ${this.pool.options.max} of the pool are in use`
      : message.replace(/^Connection terminated due to connection timeout$/, `no connection in ${waitMs} ms`);
    return new DatabaseUnavailableError(reason, { cause });
  }

  /** Opens a connection outside the pool. */
  async openSeparate(): Promise<Client> {
    const client = new (pg().Client)(this.config);
    client.on("error", () => {}); // the caller is notified by "end"
    await client.connect();
    return client;
  }

  /** Asks the server to cancel the current statement of a connection; failures are ignored. */
  async cancel(client: PoolClient): Promise<void> {
    const { processID } = client as unknown as { processID: number | null };
    if (processID === null || this.cancels >= MAX_CANCELS) return;
    this.cancels++;
    try {
      const other = await this.openSeparate();
      try {
        await other.query("SELECT pg_cancel_backend($1)", [processID]);
      } finally {
        await other.end();
      }
    } catch {
      // The statement then runs to its end, but its connection is destroyed anyway.
    } finally {
      this.cancels--;
    }
  }

  metrics(): PoolMetrics {
    const { totalCount: size, idleCount: idle, waitingCount: waiting } = this.pool;
    return { size, idle, waiting };
  }

  /** @param graceMs time for running statements to end, after which they are cancelled. @default no limit */
  async close(graceMs: number = Infinity): Promise<void> {
    if (this.pool.ended || this.pool.ending) return;
    const ended = this.pool.end();
    if (await settlesWithin(ended, this.leased.size === 0 ? CANCEL_MS : graceMs)) return;
    await settlesWithin(Promise.all(Array.from(this.leased, (client) => this.cancel(client))), CANCEL_MS);
    if (await settlesWithin(ended, CANCEL_MS)) return;
    for (const { connection } of this.open as Set<PoolClient & { connection: Connection }>)
      connection.stream.destroy(); // the server does not respond
    await ended;
  }
}

/** Maximum concurrent cancellations; each uses a separate connection. */
const MAX_CANCELS = 10;

/** Maximum wait for the server to cancel statements when the database closes. */
const CANCEL_MS = 500;

/**
 * The server's own idle timeout is longer by this much. It ends the transactions of a hung process; otherwise the timeout of this process expires first,
 * because its error states the reason.
 */
const SERVER_MARGIN_MS = 10_000;

/** Idle time before the first TCP keep-alive probe. */
const KEEP_ALIVE_MS = 10_000;

const ignore = (): void => {};

/** Whether no connection of the pool became free in time; `pg` sets no code. */
const isExhausted = (cause: unknown): boolean => messageOf(cause).startsWith("timeout exceeded");

const tooManyWaiting = (): DatabaseUnavailableError =>
  new DatabaseUnavailableError(`${MAX_WAITING} callers are already waiting`);

const clientConfig = (options: PostgresOptions): PoolConfig => ({
  connectionString: options.url,
  connectionTimeoutMillis: options.connectionTimeoutSecs * 1000,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  ...(options.applicationName === undefined ? {} : { application_name: options.applicationName }),
  ...(options.statementTimeoutMs === 0 ? {} : { statement_timeout: options.statementTimeoutMs }),
  ...(options.answerTimeoutSecs === 0 ? {} : { query_timeout: options.answerTimeoutSecs * 1000 }),
  idle_in_transaction_session_timeout: options.idleInTransactionSecs * 1000 + SERVER_MARGIN_MS,
});
