import type { SQLInputValue } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import type { Backend, BeginOptions, OpenTransaction, Outcome, PoolFigures } from "../backend.ts";
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

/** How a SQLite database is opened. */
export interface SqliteOptions {
  /** A file, or `:memory:`. */
  readonly location: string;
  /** Longest wait for the turn to write, and for the reading thread. */
  readonly waitMs: number;
  /** Longest time that a transaction may hold the turn without a statement. */
  readonly idleInTransactionMs: number;
  /** A read that took so long is done by the reading thread when it comes again; 0 is never. */
  readonly threadAfterMs: number;
  /** Longest time of a statement on the reading thread; 0 is for ever. */
  readonly statementTimeoutMs: number;
  readonly notifications: LocalNotifications;
}

const LONGEST_PAUSE_MS = 20;

/** Callers that wait for their turn to write at most. */
const MAX_WAITING = 10_000;

/** Streams open at the same time at most; each has a connection of its own. */
const MAX_STREAMS = 100;

/** Texts known to write though they look like reads or not; made by hand they may be without number. */
const MAX_WRITES = 1000;

/**
 * SQLite through `node:sqlite`: one connection for writing, whose holders take turns, and one for reading, which sees what is committed; reads that
 * have shown to be long go to a thread.
 *
 * Another process that holds the file's lock is waited for without blocking this one.
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
      if (this.longReads.has(text)) this.readWithoutThread(error.cause); // only the first of several
      return await this.run(statement, signal, first);
    }
  }

  private readWithoutThread(cause: unknown): void {
    this.longReads.stop();
    const message = "database: long reads of SQLite hold the process, since no thread can be started";
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

  /** Tries again while another process holds the lock; a statement that was refused for it did nothing. */
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

  /** On a connection of its own, which keeps seeing the moment that it began at. */
  async *stream({ text, values }: Statement, batchSize: number): AsyncGenerator<Row[]> {
    if (this.streams >= MAX_STREAMS)
      throw new DatabaseUnavailableError(`${MAX_STREAMS} streams are open already; end one before the next`);
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

  figures(): PoolFigures {
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
    this.writingConnection(); // makes the file and its journal mode
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

/** A view of a large buffer would take all of the buffer with it to the thread. */
const withoutSurroundings = (value: SQLInputValue): SQLInputValue =>
  value instanceof Uint8Array && value.byteLength < value.buffer.byteLength ? new Uint8Array(value) : value;
