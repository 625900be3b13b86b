import { setTimeout as delay } from "node:timers/promises";
import type { Backend, BeginOptions, OpenTransaction, Outcome, PoolFigures } from "../backend.ts";
import { DatabaseUnavailableError } from "../database-errors.ts";
import type { LocalNotifications } from "../local-notifications.ts";
import type { ListenOptions, Row } from "../queries.ts";
import type { Statement } from "../statement.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { isBusy, isReadOnly, sqliteError } from "./sqlite-errors.ts";
import { SqliteTransaction } from "./sqlite-transaction.ts";
import { inBatches } from "./in-batches.ts";
import { onlyReads } from "./statement-kind.ts";
import { WriteTurns } from "./write-turns.ts";

/** How a SQLite database is opened. */
export interface SqliteOptions {
  /** A file, or `:memory:`. */
  readonly location: string;
  /** Longest wait for the turn to write. */
  readonly waitMs: number;
  /** Longest time that a transaction may hold the turn without a statement. */
  readonly idleInTransactionMs: number;
  readonly notifications: LocalNotifications;
}

const LONGEST_PAUSE_MS = 20;

/**
 * SQLite through `node:sqlite`: one connection for writing, whose holders take turns, and one for reading, which sees what is committed.
 *
 * Another process that holds the file's lock is waited for without blocking this one.
 */
export class SqliteBackend implements Backend {
  readonly dialect = "sqlite";
  readonly #options: SqliteOptions;
  readonly #turns: WriteTurns;
  readonly #kinds = new Map<string, boolean>();
  #writer: SqliteConnection | null = null;
  #reader: SqliteConnection | null = null;
  #closed = false;

  constructor(options: SqliteOptions) {
    this.#options = options;
    this.#turns = new WriteTurns(options.waitMs);
  }

  run(statement: Statement, signal?: AbortSignal, first?: boolean): Outcome | Promise<Outcome> {
    if (this.#isRead(statement.text)) {
      try {
        return this.#readingConnection().run(statement, first);
      } catch (error) {
        if (isReadOnly(error)) this.#kinds.set(statement.text, false);
        else if (!isBusy(error)) throw sqliteError(error, statement.text);
      }
    }
    return this.#write(statement, signal, first);
  }

  async #write(statement: Statement, signal?: AbortSignal, first?: boolean): Promise<Outcome> {
    await this.#turns.take(signal);
    try {
      const run = (): Outcome => this.#writingConnection().run(statement, first);
      return await this.#patiently(run, statement.text, signal);
    } finally {
      this.#turns.give();
    }
  }

  /** Tries again while another process holds the lock; a statement that was refused for it did nothing. */
  async #patiently<T>(act: () => T, text: string, signal?: AbortSignal): Promise<T> {
    const deadline = performance.now() + this.#options.waitMs;
    for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return act();
      } catch (error) {
        if (!isBusy(error)) throw sqliteError(error, text);
        if (performance.now() > deadline)
          throw new DatabaseUnavailableError("another process holds the lock", { cause: error });
      }
      await delay(pause, undefined, { signal });
    }
  }

  async begin({ readOnly, signal }: BeginOptions): Promise<OpenTransaction> {
    await this.#turns.take(signal);
    const give = (): void => this.#turns.give();
    try {
      const text = readOnly ? "BEGIN" : "BEGIN IMMEDIATE";
      await this.#patiently(() => this.#writingConnection().script(text), text, signal);
      const connection = this.#writingConnection();
      const { idleInTransactionMs, notifications } = this.#options;
      return new SqliteTransaction({ connection, give, idleInTransactionMs, notifications, readOnly });
    } catch (error) {
      give();
      throw error;
    }
  }

  /** A connection of its own: while rows are read it keeps seeing the moment it began at. */
  async *stream(statement: Statement, batchSize: number, signal?: AbortSignal): AsyncGenerator<Row> {
    const { location } = this.#options;
    const own =
      location === ":memory:" ? null : this.#opened(() => new SqliteConnection(location, { readOnly: true }));
    try {
      yield* inBatches((own ?? this.#writingConnection()).rows(statement), batchSize, statement.text, signal);
    } finally {
      own?.close();
    }
  }

  notify(channel: string, payload: string): void {
    this.#options.notifications.send(channel, payload);
  }

  async listen(
    channel: string,
    listener: (payload: string) => void,
    { signal }: ListenOptions,
  ): Promise<() => Promise<void>> {
    return this.#options.notifications.listen(channel, listener, signal);
  }

  figures(): PoolFigures {
    const size = (this.#writer === null ? 0 : 1) + (this.#reader === null ? 0 : 1);
    return { size, idle: size - (this.#turns.taken ? 1 : 0), waiting: this.#turns.waiting };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    await this.#turns.take();
    this.#closed = true;
    this.#reader?.close();
    this.#writer?.close();
    this.#turns.give();
  }

  #isRead(text: string): boolean {
    if (this.#options.location === ":memory:") return false;
    const known = this.#kinds.get(text);
    if (known !== undefined) return known;
    if (this.#kinds.size >= 1000) this.#kinds.clear(); // bounded: texts made by hand may be without number
    const reads = onlyReads(text);
    this.#kinds.set(text, reads);
    return reads;
  }

  #writingConnection(): SqliteConnection {
    return (this.#writer ??= this.#opened(() => new SqliteConnection(this.#options.location)));
  }

  #readingConnection(): SqliteConnection {
    if (this.#reader === null) this.#writingConnection(); // makes the file and its journal mode
    return (this.#reader ??= this.#opened(
      () => new SqliteConnection(this.#options.location, { readOnly: true }),
    ));
  }

  #opened(open: () => SqliteConnection): SqliteConnection {
    if (this.#closed)
      throw new DatabaseUnavailableError("the database is closed", { code: "DATABASE_CLOSED" });
    try {
      return open();
    } catch (error) {
      throw sqliteError(error, "opening");
    }
  }
}
