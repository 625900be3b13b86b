import type { SQLInputValue } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import type { Backend, BeginOptions, OpenTransaction, Outcome, PoolMetrics } from "../backend.ts";
import { DatabaseUnavailableError } from "../database-errors.ts";
import type { LocalNotifications } from "../local-notifications.ts";
import type { ListenOptions, Row } from "../queries.ts";
import type { Statement } from "../statement.ts";
import { inBatches } from "./in-batches.ts";
import { LongReads } from "./long-reads.ts";
import { NoThreadError, ReadingThread } from "./reading-thread.ts";
import { type Prepared, SqliteConnection } from "./sqlite-connection.ts";
import { isBusy, isReadOnly, sqliteError } from "./sqlite-errors.ts";
import { toParameters } from "./sqlite-parameters.ts";
import { SqliteTransaction } from "./sqlite-transaction.ts";
import { onlyReads } from "./statement-kind.ts";
import { Mutex } from "./mutex.ts";

/** Options of a SQLite database. */
export interface SqliteOptions {
  /** A file, or `:memory:`. */
  readonly location: string;
  /** Maximum wait for the write connection, and for the reading thread. */
  readonly waitMs: number;
  /** Idle timeout of a transaction. */
  readonly idleInTransactionMs: number;
  /** A read that took this long runs on the reading thread the next time; 0 disables it. */
  readonly threadAfterMs: number;
  /** Timeout of a statement on the reading thread; 0 disables it. */
  readonly statementTimeoutMs: number;
  readonly notifications: LocalNotifications;
}

const LONGEST_PAUSE_MS = 20;

/** Maximum callers that wait to write. */
const MAX_WAITING = 10_000;

/** Maximum open streams; each has its own connection. */
const MAX_STREAMS = 100;

/** Statements that write although they look like reads. Bounded, because programs can generate any number of texts. */
const MAX_WRITES = 1000;

/**
 * SQLite through `node:sqlite`: one connection for writing, protected by a mutex, and one for reading committed data; reads that were long run on
 * a thread.
 *
 * Waiting for another process's lock does not block this process.
 */
export class SqliteBackend implements Backend {
  readonly dialect = "sqlite";
  readonly longReads: LongReads;
  private readonly options: SqliteOptions;
  private readonly mutex: Mutex;
  private readonly thread: ReadingThread;
  private readonly writes = new Set<string>();
  private writer: SqliteConnection | null = null;
  private reader: SqliteConnection | null = null;
  private streams = 0;
  private closed = false;

  constructor(options: SqliteOptions) {
    const { location, waitMs, threadAfterMs } = options;
    this.options = options;
    this.mutex = new Mutex({ what: "the writing connection", waitMs, maxWaiting: MAX_WAITING });
    this.thread = new ReadingThread(options);
    this.longReads = new LongReads(location === ":memory:" || threadAfterMs === 0 ? Infinity : threadAfterMs);
  }

  run(statement: Statement, signal?: AbortSignal, first?: boolean): Outcome | Promise<Outcome> {
    const { text, values } = statement;
    try {
      const read = this.reader?.known(text) ?? this.prepareRead(text);
      if (read !== null) {
        if (this.longReads.has(text)) return this.readAway(statement, signal, first);
        return this.readingConnection().run(read, toParameters(values), first);
      }
    } catch (error) {
      if (isReadOnly(error)) this.noteWrite(text);
      else if (!isBusy(error)) throw sqliteError(error, text);
    }
    return this.write(statement, signal, first);
  }

  private async readAway(statement: Statement, signal?: AbortSignal, first = false): Promise<Outcome> {
    const { text, values } = statement;
    try {
      const question = { text, parameters: toParameters(values).map(withoutSurroundings), first };
      const { rows, tookMs } = await this.thread.read(question, signal);
      this.longReads.took(text, tookMs);
      return { rows, changes: rows.length };
    } catch (error) {
      if (!(error instanceof NoThreadError)) throw sqliteError(error, text);
      if (this.longReads.has(text)) this.readWithoutThread(error.cause); // log only the first
      return await this.run(statement, signal, first);
    }
  }

  private readWithoutThread(cause: unknown): void {
    this.longReads.stop();
    const message = "database: long reads of SQLite block the process, because no thread can be started";
    process.emitWarning(message, { detail: String(cause) });
  }

  private async write({ text, values }: Statement, signal?: AbortSignal, first?: boolean): Promise<Outcome> {
    await this.mutex.acquire(signal);
    try {
      const parameters = toParameters(values);
      const run = (): Outcome => {
        const connection = this.writingConnection();
        return connection.run(connection.prepare(text), parameters, first);
      };
      return await this.patiently(run, text, signal);
    } finally {
      this.mutex.release();
    }
  }

  /** Retries while another process holds the lock; a statement that failed on the lock had no effect. */
  private async patiently<T>(act: () => T, text: string, signal?: AbortSignal): Promise<T> {
    const deadline = performance.now() + this.options.waitMs;
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
    await this.mutex.acquire(signal);
    const give = (): void => this.mutex.release();
    try {
      const text = readOnly ? "BEGIN" : "BEGIN IMMEDIATE";
      await this.patiently(() => this.writingConnection().script(text), text, signal);
      const connection = this.writingConnection();
      const { idleInTransactionMs, notifications } = this.options;
      return new SqliteTransaction({ connection, give, idleInTransactionMs, notifications, readOnly });
    } catch (error) {
      give();
      throw error;
    }
  }

  /** On its own connection, which keeps the snapshot of its start. */
  async *stream({ text, values }: Statement, batchSize: number): AsyncGenerator<Row[]> {
    if (this.streams >= MAX_STREAMS)
      throw new DatabaseUnavailableError(`${MAX_STREAMS} streams are open; end one first`);
    this.streams++;
    let own: SqliteConnection | null = null;
    try {
      if (this.options.location !== ":memory:") own = this.newReader();
      const rows = (own ?? this.writingConnection()).rows(text, toParameters(values));
      yield* inBatches(rows, batchSize, text);
    } finally {
      this.streams--;
      own?.close();
    }
  }

  notify(channel: string, payload: string): void {
    this.options.notifications.send(channel, payload);
  }

  async listen(
    channel: string,
    listener: (payload: string) => void,
    { signal }: ListenOptions,
  ): Promise<() => Promise<void>> {
    return this.options.notifications.listen(channel, listener, signal);
  }

  metrics(): PoolMetrics {
    const size = (this.writer === null ? 0 : 1) + (this.reader === null ? 0 : 1) + this.thread.size;
    const busy = (this.mutex.held ? 1 : 0) + (this.thread.busy ? 1 : 0);
    return { size, idle: Math.max(0, size - busy), waiting: this.mutex.waiting + this.thread.waiting };
  }

  async close(): Promise<void> {
    if (this.closed) return;
    await this.mutex.acquire();
    this.closed = true;
    this.reader?.close();
    this.writer?.close();
    this.mutex.release();
    await this.thread.close();
  }

  private prepareRead(text: string): Prepared | null {
    if (this.options.location === ":memory:" || this.writes.has(text)) return null;
    if (onlyReads(text)) return this.readingConnection().prepare(text);
    this.noteWrite(text);
    return null;
  }

  private noteWrite(text: string): void {
    this.reader?.forget(text);
    if (this.writes.size >= MAX_WRITES) this.writes.clear();
    this.writes.add(text);
  }

  private writingConnection(): SqliteConnection {
    return (this.writer ??= this.opened(() => new SqliteConnection(this.options.location)));
  }

  private readingConnection(): SqliteConnection {
    return (this.reader ??= this.newReader());
  }

  private newReader(): SqliteConnection {
    this.writingConnection(); // creates the file and sets its journal mode
    return this.opened(() => new SqliteConnection(this.options.location, { readOnly: true }));
  }

  private opened(open: () => SqliteConnection): SqliteConnection {
    if (this.closed)
      throw new DatabaseUnavailableError("the database is closed", { code: "DATABASE_CLOSED" });
    try {
      return open();
    } catch (error) {
      throw sqliteError(error, "opening");
    }
  }
}

/** A view of a large buffer would copy the whole buffer to the thread. */
const withoutSurroundings = (value: SQLInputValue): SQLInputValue =>
  value instanceof Uint8Array && value.byteLength < value.buffer.byteLength ? new Uint8Array(value) : value;
