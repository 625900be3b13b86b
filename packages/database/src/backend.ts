import type { Awaitable } from "@framework/core";
import type { Isolation, ListenOptions, Row } from "./queries.ts";
import type { Statement } from "./statement.ts";

/** What a statement gave. */
export interface Outcome {
  readonly rows: Row[];
  readonly changes: number;
}

/** Where statements go: the database at large, or one transaction. */
export interface Session {
  /** @param first only the first row is wanted: others may be missing, and uncounted */
  run(statement: Statement, signal?: AbortSignal, first?: boolean): Awaitable<Outcome>;
  /** Batches of rows; the last one is shorter than `batchSize`, and may be empty. */
  stream(statement: Statement, batchSize: number, signal?: AbortSignal): AsyncIterableIterator<Row[]>;
  notify(channel: string, payload: string): Awaitable<void>;
}

/** One open transaction on a connection of its own. */
export interface OpenTransaction extends Session {
  /** Runs statements without parameters, several at once if need be. */
  script(text: string): Awaitable<void>;
  /** Ends it for good. A commit whose answer never came rejects with `CommitUnknownError`. */
  commit(): Awaitable<void>;
  /** Ends it for good, and never rejects. */
  rollback(): Awaitable<void>;
}

export interface BeginOptions {
  readonly isolation: Isolation;
  readonly readOnly: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Figures of a backend's connections. */
export interface PoolFigures {
  readonly size: number;
  readonly idle: number;
  readonly waiting: number;
}

/** The port of a kind of database. */
export interface Backend extends Session {
  readonly dialect: "sqlite" | "postgres";
  /** Told of every statement that held this process for `longMs`; absent where the work is done elsewhere. */
  readonly longReads?: { readonly longMs: number; took(text: string, ms: number): void };
  begin(options: BeginOptions): Promise<OpenTransaction>;
  listen(
    channel: string,
    listener: (payload: string) => void,
    options: ListenOptions,
  ): Promise<() => Promise<void>>;
  figures(): PoolFigures;
  close(): Promise<void>;
}
