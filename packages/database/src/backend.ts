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
  /** Does not wait for a connection of the pool: urgent statements share one of their own. @default false */
  readonly isUrgent?: boolean;
  /** Only the first row is needed: the result may omit the others. */
  readonly first: boolean;
  /** Milliseconds of waiting for a connection or lock, 0 if it needs neither; written by the backend. */
  waitedMs: number;
  /** Milliseconds of processor time of a read in this process; `null` unless the backend measured it. */
  workedMs: number | null;
}

/** Executes statements: on any connection, or in one transaction. */
export interface Session {
  run(statement: Statement, execution: Execution): Awaitable<Outcome>;
  /** Batches of rows; the last one is shorter than `batchSize`, and may be empty. */
  stream(statement: Statement, batchSize: number, signal?: AbortSignal): AsyncIterableIterator<Row[]>;
  notify(channel: string, payload: string): Awaitable<void>;
}

/** Notifications that wait in this process for the commit of their transaction. */
export interface KeptNotes {
  /** Number of them; `dropFrom` returns to it. */
  readonly count: number;
  /** Drops those that were added since the count was `count`. */
  dropFrom(count: number): void;
}

/** One open transaction on its own connection. */
export interface OpenTransaction extends Session {
  /** Absent where the database keeps them. */
  readonly keptNotes?: KeptNotes | undefined;
  /** Runs one or more statements without parameters. */
  script(text: string, signal?: AbortSignal): Awaitable<void>;
  /**
   * Commits, and gives up the connection even when that fails. `false`: the database rolled back instead, because a statement had failed.
   *
   * @throws CommitUnknownError when the connection breaks before the reply
   */
  commit(): Awaitable<boolean>;
  /** Rolls back and gives up the connection; never throws or rejects. */
  rollback(): Awaitable<void>;
}

export interface BeginOptions {
  readonly isolation: Isolation;
  readonly readOnly: boolean;
  readonly signal: AbortSignal | undefined;
  /** Limit of the whole transaction, in place of those of a wait and of a statement; `signal` aborts at it. */
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
  /** Transactions that may run at a time. */
  readonly maxTransactions: number;
  /** Idle timeout of a transaction. */
  readonly idleInTransactionMs: number;
  /** Called for every statement that blocked this process for `longMs`; absent when statements run elsewhere. */
  readonly longReads?: {
    readonly longMs: number;
    took(text: string, ms: number, workedMs: number | null): void;
  };
  begin(options: BeginOptions): Awaitable<OpenTransaction>;
  /** Neither function throws. The returned one stops listening, and may be called again. */
  listen(
    channel: string,
    listener: (payload: string) => void,
    onGap: () => void,
  ): Promise<() => Promise<void>>;
  metrics(): PoolMetrics;
  /** @param graceMs time that running statements have; then they are cancelled or given up. @default no limit */
  close(graceMs?: number): Promise<void>;
}
