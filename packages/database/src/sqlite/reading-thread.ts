import { DatabaseError, DatabaseUnavailableError } from "../database-errors.ts";
import type { Row } from "../queries.ts";
import type { Fault, Question } from "./read-protocol.ts";
import { ReadWorkerHandle } from "./read-worker-handle.ts";
import { Mutex } from "./mutex.ts";

export interface ReadingThreadOptions {
  readonly location: string;
  /** Maximum wait for the thread, and of the thread for a lock. */
  readonly waitMs: number;
  /** Timeout of one statement; 0 disables it. */
  readonly statementTimeoutMs: number;
}

/** All rows, and the time that SQLite took. */
export interface ReadRows {
  readonly rows: Row[];
  readonly tookMs: number;
}

/** Maximum callers that wait for the thread. */
const MAX_WAITING = 1000;

/** Maximum time that an abandoned statement blocks other callers. */
const GRACE_MS = 1000;

/** Maximum abandoned threads; at this number the next one is not replaced. */
const MAX_LEFT_BEHIND = 2;

/** SQLite's code for a statement that was interrupted. */
const INTERRUPTED = "9";

/** The thread cannot be started: its program is missing, for example in a bundle. */
export class NoThreadError extends Error {}

/**
 * Reads on a thread with its own connection, started on first use, one statement at a time.
 *
 * SQLite cannot be interrupted through `node:sqlite`. A caller that gives up is rejected at once; the thread is abandoned until its statement
 * ends, and another replaces it.
 */
export class ReadingThread {
  private readonly options: ReadingThreadOptions;
  private readonly mutex: Mutex;
  private worker: ReadWorkerHandle | null = null;
  private leftBehind = 0;
  private closed = false;

  constructor(options: ReadingThreadOptions) {
    this.options = options;
    this.mutex = new Mutex({ what: "the reading thread", waitMs: options.waitMs, maxWaiting: MAX_WAITING });
  }

  /** Connections, of which at most one is in use. */
  get size(): number {
    return (this.worker === null ? 0 : 1) + this.leftBehind;
  }

  get busy(): boolean {
    return this.mutex.held;
  }

  get waiting(): number {
    return this.mutex.waiting;
  }

  /**
   * @throws DatabaseUnavailableError when the thread is not free in time or the queue is full; DatabaseError after `statementTimeoutMs`; the
   * reason of the signal; NoThreadError; otherwise the error of `node:sqlite`
   */
  async read(question: Question, signal?: AbortSignal): Promise<ReadRows> {
    await this.mutex.acquire(signal);
    let worker: ReadWorkerHandle;
    try {
      worker = this.running();
    } catch (error) {
      this.mutex.release();
      throw error;
    }
    const left = new AbortController();
    const read = this.converse(worker, question, left.signal).finally(() => this.mutex.release());
    return await this.untilGivenUp(read, worker, left, signal);
  }

  /** Waits for the current statement, as long as a caller would; a longer one ends by itself. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    const free = await this.mutex.acquire().then(
      () => true,
      () => false,
    );
    const ended = this.worker?.end();
    if (!free) return;
    this.mutex.release();
    await ended;
  }

  private running(): ReadWorkerHandle {
    if (this.closed)
      throw new DatabaseUnavailableError("the database is closed", { code: "DATABASE_CLOSED" });
    const { location, waitMs } = this.options;
    return (this.worker ??= new ReadWorkerHandle({ location, lockMs: Math.ceil(waitMs) }));
  }

  private async converse(worker: ReadWorkerHandle, question: Question, left: AbortSignal): Promise<ReadRows> {
    const rows: Row[] = [];
    try {
      await worker.ready;
      for (let next: Question | null = question; ; next = null) {
        const part = await worker.ask(next);
        if (part.fault !== null) throw thrown(part.fault);
        rows.push(...part.rows);
        if (!part.more || left.aborted) return { rows, tookMs: part.tookMs };
      }
    } catch (error) {
      if (!worker.ended) throw error;
      if (this.worker === worker) this.worker = null;
      if (!worker.started) throw new NoThreadError("no thread", { cause: error });
      throw new DatabaseUnavailableError("the reading thread ended", { cause: error });
    }
  }

  /** The caller's view of a read, which may end before the thread's. */
  private async untilGivenUp(
    read: Promise<ReadRows>,
    worker: ReadWorkerHandle,
    left: AbortController,
    signal?: AbortSignal,
  ): Promise<ReadRows> {
    const { promise, resolve, reject } = Promise.withResolvers<ReadRows>();
    let timer: NodeJS.Timeout | undefined;
    const giveUp = (reason: unknown, graceMs: number): void => {
      reject(reason);
      left.abort();
      clearTimeout(timer);
      timer = setTimeout(() => this.leaveBehind(worker), graceMs);
    };
    const { statementTimeoutMs: limitMs } = this.options;
    const limit = (): void => {
      if (limitMs === 0 || left.signal.aborted) return;
      timer = setTimeout(() => giveUp(tooLong(limitMs), 0), limitMs);
    };
    const aborted = (): void => giveUp(signal?.reason, GRACE_MS);
    signal?.addEventListener("abort", aborted, { once: true });
    if (signal?.aborted === true) aborted();
    worker.ready.then(limit, ignore); // the start of the thread does not count
    const settled = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", aborted);
    };
    read.finally(settled).then(resolve, reject);
    return await promise;
  }

  /** Only called while the abandoned statement holds the mutex. */
  private leaveBehind(worker: ReadWorkerHandle): void {
    if (this.worker !== worker || this.leftBehind >= MAX_LEFT_BEHIND) return; // waiting callers time out
    this.worker = null;
    this.leftBehind++;
    void worker.end().finally(() => this.leftBehind--);
  }
}

const ignore = (): void => {};

const thrown = ({ message, code, errcode }: Fault): Error =>
  Object.assign(new Error(message), { code, errcode });

const tooLong = (limitMs: number): DatabaseError =>
  new DatabaseError("canceled", `gave up the statement after ${limitMs} ms`, { sqlCode: INTERRUPTED });
