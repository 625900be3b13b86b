import { DatabaseError, DatabaseUnavailableError } from "../database-errors.ts";
import type { Row } from "../queries.ts";
import type { Fault, Question } from "./read-protocol.ts";
import { ReadWorkerHandle } from "./read-worker-handle.ts";
import { Mutex } from "./mutex.ts";

export interface ReadingThreadOptions {
  readonly location: string;
  /** Longest wait for the thread, and of the thread for a lock. */
  readonly waitMs: number;
  /** Longest time for one statement; 0 is for ever. */
  readonly statementTimeoutMs: number;
}

/** All rows, and how long SQLite took for them. */
export interface ReadRows {
  readonly rows: Row[];
  readonly tookMs: number;
}

/** Callers that wait for the thread at most. */
const MAX_WAITING = 1000;

/** How long a statement that nobody waits for any more may keep others waiting. */
const GRACE_MS = 1000;

/** Threads left behind with a statement that nobody waits for; while there are so many, none takes the place of the next. */
const MAX_LEFT_BEHIND = 2;

/** SQLite's code for a statement that was interrupted. */
const INTERRUPTED = "9";

/** A thread could not be started at all: its program is not there, as in a bundle. */
export class NoThreadError extends Error {}

/**
 * Reads on a thread with a connection of its own, started when first used, one statement at a time.
 *
 * SQLite cannot be interrupted through `node:sqlite`. Who gives up is told so at once; the thread is left behind to come to its end by itself, and
 * another takes its place.
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
   * @throws DatabaseUnavailableError when the turn does not come in time or too many wait; DatabaseError after `statementTimeoutMs`; the reason
   * of the signal; NoThreadError; else what `node:sqlite` threw
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

  /** Waits for what is under way, as long as a caller would; what runs on then ends by itself. */
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

  /** What the caller sees of a read: it may be over for the caller sooner than for the thread. */
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
    worker.ready.then(limit, ignore); // starting the thread is not the statement's time
    const settled = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", aborted);
    };
    read.finally(settled).then(resolve, reject);
    return await promise;
  }

  /** Only called while the statement that was given up still has the turn. */
  private leaveBehind(worker: ReadWorkerHandle): void {
    if (this.worker !== worker || this.leftBehind >= MAX_LEFT_BEHIND) return; // whoever waits then is refused in time
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
