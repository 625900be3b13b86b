// More than 250 lines, because the connections, the write mutex and the reading process share state that only this class changes.
import type { SQLInputValue } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { type Awaitable } from "@framework/core";
import { isPromise, messageOf } from "@framework/core/feature";
import type { Backend, BeginOptions, Execution, OpenTransaction, Outcome, PoolMetrics } from "../backend.ts";
import { databaseClosed, DatabaseUnavailableError } from "../database-errors.ts";
import type { LocalNotifications } from "../local-notifications.ts";
import type { Row } from "../queries.ts";
import type { Statement } from "../statement.ts";
import { inBatches } from "./in-batches.ts";
import { LongReads } from "./long-reads.ts";
import { NoProcessError, ReadingProcess } from "./reading-process.ts";
import { type PreparedStatement, SqliteConnection } from "./sqlite-connection.ts";
import { isBusy, isReadOnly, sqliteError } from "./sqlite-errors.ts";
import { toParameters } from "./sqlite-parameters.ts";
import { SqliteTransaction } from "./sqlite-transaction.ts";
import { onlyReads } from "./statement-kind.ts";
import { Mutex } from "./mutex.ts";
import { threadTimeMs } from "./thread-time.ts";

/** Options of a SQLite database. */
export interface SqliteOptions {
  /** A file, or `:memory:`. */
  readonly location: string;
  /** Maximum wait for the write connection, for the reading process, and for the lock of another process. */
  readonly waitMs: number;
  /** Idle timeout of a transaction. */
  readonly idleInTransactionMs: number;
  /** A read that took this long runs in the reading process the next time; 0 disables it. */
  readonly longReadMs: number;
  /** Timeout of a statement in the reading process; 0 disables it. */
  readonly statementTimeoutMs: number;
  /** When a commit is complete, as in `DatabaseConfig`. */
  readonly synchronous: "full" | "normal";
  readonly notifications: LocalNotifications;
}

const MAX_PAUSE_MS = 20;

/** Maximum number of callers waiting to write. */
const MAX_WAITING = 10_000;

/** Hint for a deadlock: a call inside a transaction that does not use the transaction waits for it. */
const DEADLOCK_HINT =
  "; one transaction held it all the time: calls inside a transaction must use its tx or pass { tx }";

/** Maximum number of open streams; each has its own connection. */
const MAX_STREAMS = 100;

/** Statements that write although they look like reads. Bounded, because programs can generate any number of texts. */
const MAX_WRITES = 1000;

/**
 * SQLite through `node:sqlite`: one connection for writing, protected by a mutex, and one for reading committed data. Texts whose last read was long run
 * in the reading process. Waiting for another process's lock does not block this process.
 */
export class SqliteBackend implements Backend {
  readonly dialect = "sqlite";
  readonly maxTransactions = 1;
  readonly idleInTransactionMs: number;
  readonly longReads: NonNullable<Backend["longReads"]>;
  private readonly reads: LongReads;
  private readonly options: SqliteOptions;
  private readonly mutex: Mutex;
  private readonly readingProcess: ReadingProcess;
  private readonly writes = new Set<string>();
  private writer: SqliteConnection | null = null;
  private reader: SqliteConnection | null = null;
  private streams = 0;
  private closed = false;

  constructor(options: SqliteOptions) {
    const { location, waitMs, longReadMs } = options;
    this.options = options;
    this.idleInTransactionMs = options.idleInTransactionMs;
    this.mutex = new Mutex({
      resource: "the writing connection",
      hint: DEADLOCK_HINT,
      waitMs,
      maxWaiting: MAX_WAITING,
    });
    this.readingProcess = new ReadingProcess(options);
    this.reads = new LongReads(location === ":memory:" || longReadMs === 0 ? Infinity : longReadMs);
    const record = (text: string, ms: number, workedMs: number | null): void => {
      if (!this.writes.has(text)) this.reads.record(text, ms, workedMs);
    };
    this.longReads = { longMs: this.reads.longMs, record };
  }

  run(statement: Statement, execution: Execution): Outcome | Promise<Outcome> {
    const { text, values } = statement;
    try {
      const known = this.reader?.known(text);
      const read = known ?? this.prepareRead(text);
      if (read !== null) {
        if (this.reads.has(text)) return this.readInProcess(statement, execution);
        if (known === undefined || this.reads.mustMeasure(text))
          return this.readMeasured(read, statement, execution);
        return this.readingConnection().run(read, toParameters(values), execution.first);
      }
    } catch (error) {
      if (isReadOnly(error)) this.recordWrite(text);
      else if (!isBusy(error)) throw sqliteError(error, text);
    }
    return this.write(statement, execution);
  }

  private readMeasured(read: PreparedStatement, { values }: Statement, execution: Execution): Outcome {
    const from = threadTimeMs();
    try {
      return this.readingConnection().run(read, toParameters(values), execution.first);
    } finally {
      execution.workedMs = threadTimeMs() - from;
    }
  }

  private async readInProcess(statement: Statement, execution: Execution): Promise<Outcome> {
    const { text, values } = statement;
    const { signal, first } = execution;
    try {
      const request = { text, parameters: toParameters(values).map(compactCopy), first };
      const from = performance.now();
      const { rows, tookMs, workedMs } = await this.readingProcess.read(request, signal);
      execution.waitedMs = Math.max(0, performance.now() - from - tookMs);
      this.reads.record(text, tookMs, workedMs);
      return { rows, changes: rows.length };
    } catch (error) {
      if (!(error instanceof NoProcessError)) throw sqliteError(error, text);
      if (this.reads.has(text)) this.disableReadingProcess(error.cause); // warn only once
      return await this.run(statement, execution);
    }
  }

  private disableReadingProcess(cause: unknown): void {
    this.reads.stop();
    const message =
      "database: long reads of SQLite block this process, because the reading process cannot be started";
    process.emitWarning(message, { detail: messageOf(cause) });
  }

  private write(statement: Statement, execution: Execution): Awaitable<Outcome> {
    const from = performance.now();
    if (this.mutex.tryAcquire()) return this.writeHolding(statement, execution, from);
    const acquired = this.mutex.acquire(execution.signal).catch((error: unknown) => {
      execution.waitedMs = performance.now() - from;
      throw error;
    });
    return acquired.then(() => this.writeHolding(statement, execution, from));
  }

  /** Runs a statement while holding the write mutex, and releases it. Synchronous unless another process holds the lock. */
  private writeHolding({ text, values }: Statement, execution: Execution, from: number): Awaitable<Outcome> {
    const { signal, first } = execution;
    const run = (): Outcome => {
      execution.waitedMs = performance.now() - from;
      const connection = this.writingConnection();
      const prepared = connection.prepare(text);
      if (!prepared.leavesState) return connection.run(prepared, toParameters(values), first);
      try {
        return connection.run(prepared, toParameters(values), first);
      } finally {
        this.discardWriter();
      }
    };
    const release = (): void => this.mutex.release();
    let outcome: Awaitable<Outcome>;
    try {
      outcome = this.retryWhileBusy(run, text, signal);
    } catch (error) {
      release();
      throw error;
    }
    if (isPromise(outcome)) return outcome.finally(release);
    release();
    return outcome;
  }

  /** Retries while another process holds the lock; a statement that failed on the lock had no effect. */
  private retryWhileBusy<T>(
    act: () => T,
    text: string,
    signal?: AbortSignal,
    waitMs: number = this.options.waitMs,
  ): Awaitable<T> {
    try {
      return act();
    } catch (error) {
      if (!isBusy(error)) throw sqliteError(error, text);
      return this.untilUnlocked(act, text, signal, waitMs);
    }
  }

  private async untilUnlocked<T>(
    act: () => T,
    text: string,
    signal: AbortSignal | undefined,
    waitMs: number,
  ): Promise<T> {
    const deadline = performance.now() + waitMs;
    for (let pause = 1; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      await delay(pause, undefined, { signal }).catch(() => signal?.throwIfAborted());
      try {
        return act();
      } catch (error) {
        if (!isBusy(error)) throw sqliteError(error, text);
        if (performance.now() > deadline)
          throw new DatabaseUnavailableError("another process holds the lock", { cause: error });
      }
    }
  }

  begin(options: BeginOptions): Awaitable<OpenTransaction> {
    if (this.mutex.tryAcquire()) return this.beginHolding(options);
    return this.mutex.acquire(options.signal, options.timeoutMs).then(() => this.beginHolding(options));
  }

  /** Begins a transaction while holding the write mutex; releases the mutex if that fails. */
  private beginHolding({ readOnly, signal, timeoutMs }: BeginOptions): Awaitable<OpenTransaction> {
    const release = (): void => this.mutex.release();
    const onError = (error: unknown): never => {
      release();
      throw error;
    };
    const text = readOnly ? "BEGIN" : "BEGIN IMMEDIATE";
    const toTransaction = (): OpenTransaction => {
      const connection = this.writingConnection();
      const { notifications } = this.options;
      const discard = (): void => this.discardWriter();
      return new SqliteTransaction({ connection, release, discard, notifications, readOnly });
    };
    try {
      const begins = this.retryWhileBusy(
        () => this.writingConnection().execute(text),
        text,
        signal,
        timeoutMs,
      );
      return isPromise(begins) ? begins.then(toTransaction).catch(onError) : toTransaction();
    } catch (error) {
      return onError(error);
    }
  }

  /** Uses a separate connection, which keeps the snapshot of its start; an in-memory database has only the write connection. */
  async *stream({ text, values }: Statement, batchSize: number): AsyncGenerator<Row[]> {
    if (this.streams >= MAX_STREAMS)
      throw new DatabaseUnavailableError(`${MAX_STREAMS} streams are open; end one first`);
    this.streams++;
    let own: SqliteConnection | null = null;
    try {
      if (this.options.location !== ":memory:")
        own = await this.retryWhileBusy(() => this.newReader(), "opening");
      const rows = (own ?? this.writingConnection()).rows(text, toParameters(values));
      yield* inBatches(rows, batchSize, text);
    } finally {
      this.streams--;
      own?.close();
    }
  }

  notify(channel: string, payload: string): void {
    if (this.closed) throw databaseClosed();
    this.options.notifications.send(channel, payload);
  }

  async listen(channel: string, listener: (payload: string) => void): Promise<() => Promise<void>> {
    if (this.closed) throw databaseClosed();
    return this.options.notifications.listen(channel, listener);
  }

  metrics(): PoolMetrics {
    const size = (this.writer === null ? 0 : 1) + (this.reader === null ? 0 : 1) + this.readingProcess.size;
    const busy = (this.mutex.held ? 1 : 0) + (this.readingProcess.busy ? 1 : 0);
    return {
      size,
      idle: Math.max(0, size - busy),
      waiting: this.mutex.waiting + this.readingProcess.waiting,
    };
  }

  async close(graceMs: number = Infinity): Promise<void> {
    if (this.closed) return;
    await this.mutex.acquire(undefined, Math.min(graceMs, this.options.waitMs)).catch(() => {}); // a transaction that is still running is rolled back
    this.closed = true;
    try {
      await this.readingProcess.close(graceMs);
    } finally {
      this.reader?.close();
      this.writer?.close(); // closed last, which checkpoints the write-ahead log: until then, deleted data stays in the file
      this.mutex.release();
    }
  }

  private prepareRead(text: string): PreparedStatement | null {
    if (this.options.location === ":memory:" || this.writes.has(text)) return null;
    if (onlyReads(text)) {
      if (RECURSIVE.test(text)) this.reads.assumeLong(text);
      return this.readingConnection().prepare(text);
    }
    this.recordWrite(text);
    return null;
  }

  private recordWrite(text: string): void {
    this.reader?.forget(text);
    if (this.writes.size >= MAX_WRITES) this.writes.clear();
    this.writes.add(text);
  }

  private writingConnection(): SqliteConnection {
    const { location, synchronous } = this.options;
    return (this.writer ??= this.openConnection(() => new SqliteConnection(location, { synchronous })));
  }

  /** Closes the connection; the next write opens a new one. Does nothing for an in-memory database, which has only this one. */
  private discardWriter(): void {
    if (this.options.location === ":memory:") return;
    const writer = this.writer;
    this.writer = null;
    try {
      writer?.close();
    } catch {
      // Its file descriptors are released when it is garbage-collected.
    }
  }

  private readingConnection(): SqliteConnection {
    return (this.reader ??= this.newReader());
  }

  private newReader(): SqliteConnection {
    this.writingConnection(); // creates the file and sets its journal mode
    return this.openConnection(() => new SqliteConnection(this.options.location, { readOnly: true }));
  }

  /** Opens a connection. Rethrows busy errors of `node:sqlite` unchanged, because callers then wait for the lock. */
  private openConnection(open: () => SqliteConnection): SqliteConnection {
    if (this.closed) throw databaseClosed();
    try {
      return open();
    } catch (error) {
      throw isBusy(error) ? error : sqliteError(error, "opening");
    }
  }
}

/** A recursive read may not terminate, so it runs in the reading process from the first time. */
const RECURSIVE = /\brecursive\b/i;

/** Copies a view of a larger buffer, because sending a view would send the whole buffer. */
const compactCopy = (value: SQLInputValue): SQLInputValue =>
  value instanceof Uint8Array && value.byteLength < value.buffer.byteLength ? new Uint8Array(value) : value;
