import type { Awaitable } from "@framework/core";
import type { Isolation, Row } from "./queries.ts";
import type { Statement } from "./statement.ts";

/** Result of a statement. */
export interface Outcome {
  readonly rows: Row[];
  readonly changes: number;
}

/** One execution of a statement. */
export interface Execution {
  readonly signal: AbortSignal | undefined;
  /** Whether to use the separate connection for urgent statements instead of the pool. @default false */
  readonly isUrgent?: boolean;
  /** Only the first row is needed: the result may omit the others. */
  readonly first: boolean;
  /** Milliseconds spent waiting for a connection or lock; set by the backend. */
  waitedMs: number;
  /** CPU milliseconds of a read in this process; `null` unless the backend measured them. */
  workedMs: number | null;
}

/** Executes statements: on any connection, or in one transaction. */
export interface Session {
  run(statement: Statement, execution: Execution): Awaitable<Outcome>;
  /** Yields batches of rows; the last one is shorter than `batchSize`, and may be empty. */
  stream(statement: Statement, batchSize: number, signal?: AbortSignal): AsyncIterableIterator<Row[]>;
  notify(channel: string, payload: string): Awaitable<void>;
}

/** Notifications buffered in this process until their transaction commits. */
export interface BufferedNotifications {
  /** Number of notifications; pass it to `dropFrom` to restore it. */
  readonly count: number;
  /** Drops all notifications after the first `count`. */
  dropFrom(count: number): void;
}

/** One open transaction on its own connection. */
export interface OpenTransaction extends Session {
  /** Absent if the database buffers notifications itself. */
  readonly bufferedNotifications?: BufferedNotifications | undefined;
  /** Runs one or more statements without parameters. */
  script(text: string, signal?: AbortSignal): Awaitable<void>;
  /**
   * Commits, and releases the connection even if that fails. Returns `false` if the database rolled back instead, because a statement had failed.
   *
   * @throws CommitUnknownError if the connection breaks, or the time limit ends, before the reply; DatabaseError if the database rejects the commit
   */
  commit(): Awaitable<boolean>;
  /** Rolls back and releases the connection; never throws or rejects. */
  rollback(): Awaitable<void>;
}

export interface BeginOptions {
  readonly isolation: Isolation;
  readonly readOnly: boolean;
  readonly signal: AbortSignal | undefined;
  /** Limit on the whole transaction, which replaces the limits on a wait and on a statement; `signal` aborts when it is reached. */
  readonly timeoutMs: number | undefined;
}

/** Metrics of a backend's connections. */
export interface PoolMetrics {
  readonly size: number;
  readonly idle: number;
  readonly waiting: number;
}

/** The port of a database. */
export interface Backend extends Session {
  readonly dialect: "sqlite" | "postgres";
  /** Maximum number of concurrent transactions. */
  readonly maxTransactions: number;
  /** Idle timeout of a transaction. */
  readonly idleInTransactionMs: number;
  /**
   * `record` is called for every successful statement outside a transaction that blocked this process for at least `longMs`, and may be called for shorter ones;
   * absent if statements do not block it.
   */
  readonly longReads?: {
    readonly longMs: number;
    record(text: string, ms: number, workedMs: number | null): void;
  };
  begin(options: BeginOptions): Awaitable<OpenTransaction>;
  /** `listener` and `onGap` must not throw. Returns an idempotent function that stops listening. */
  listen(
    channel: string,
    listener: (payload: string) => void,
    onGap: () => void,
  ): Promise<() => Promise<void>>;
  metrics(): PoolMetrics;
  /** @param graceMs time for running statements to end, after which they are cancelled or abandoned. @default no limit */
  close(graceMs?: number): Promise<void>;
}
