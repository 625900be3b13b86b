import type { Awaitable } from "@framework/core";
import type { Isolation, ListenOptions, Row } from "./queries.ts";
import type { Statement } from "./statement.ts";

/** Result of a statement. */
export interface Outcome {
  readonly rows: Row[];
  readonly changes: number;
}

/** Executes statements: on any connection, or in one transaction. */
export interface Session {
  /** @param first only the first row is needed: others may be missing and uncounted */
  run(statement: Statement, signal?: AbortSignal, first?: boolean): Awaitable<Outcome>;
  /** Batches of rows; the last one is shorter than `batchSize`, and may be empty. */
  stream(statement: Statement, batchSize: number, signal?: AbortSignal): AsyncIterableIterator<Row[]>;
  notify(channel: string, payload: string): Awaitable<void>;
}

/** One open transaction on its own connection. */
export interface OpenTransaction extends Session {
  /** Runs one or more statements without parameters. */
  script(text: string): Awaitable<void>;
  /** Commits. Rejects with `CommitUnknownError` when the connection breaks before the reply. */
  commit(): Awaitable<void>;
  /** Rolls back; never rejects. */
  rollback(): Awaitable<void>;
}

export interface BeginOptions {
  readonly isolation: Isolation;
  readonly readOnly: boolean;
  readonly signal: AbortSignal | undefined;
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
  /** Called for every statement that blocked this process for `longMs`; absent when statements run elsewhere. */
  readonly longReads?: { readonly longMs: number; took(text: string, ms: number): void };
  begin(options: BeginOptions): Promise<OpenTransaction>;
  listen(
    channel: string,
    listener: (payload: string) => void,
    options: ListenOptions,
  ): Promise<() => Promise<void>>;
  metrics(): PoolMetrics;
  close(): Promise<void>;
}
