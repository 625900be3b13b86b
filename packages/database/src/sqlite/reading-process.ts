import { databaseClosed, DatabaseError, DatabaseUnavailableError } from "../database-errors.ts";
import type { Row } from "../queries.ts";
import type { Fault, ReadRequest } from "./read-protocol.ts";
import { ReaderHandle } from "./reader-handle.ts";
import { Mutex } from "./mutex.ts";

export interface ReadingProcessOptions {
  readonly location: string;
  /** Maximum wait of a caller for the process, and of the process for a lock. */
  readonly waitMs: number;
  /** Timeout of one statement; 0 disables it. */
  readonly statementTimeoutMs: number;
}

/** All rows, and the duration of the read. */
export interface ReadRows {
  readonly rows: Row[];
  readonly tookMs: number;
  /** CPU time of the read. */
  readonly workedMs: number;
}

/** Maximum number of callers waiting for the process. */
const MAX_WAITING = 1000;

/** Maximum time that an abandoned statement blocks other callers. */
const GRACE_MS = 1000;

/** SQLite's code for an interrupted statement. */
const INTERRUPTED = "9";

/** The process cannot be started: its program is missing, for example in a bundle. */
export class NoProcessError extends Error {}

/**
 * Runs reads in a separate process with its own connection, started on first use, one statement at a time.
 *
 * `node:sqlite` cannot interrupt a statement, and a thread cannot be ended during one, but a process can be killed. A call that is aborted or times
 * out rejects immediately; the process is killed at the timeout, and after an abort if the statement runs for another second.
 */
export class ReadingProcess {
  private readonly options: ReadingProcessOptions;
  private readonly mutex: Mutex;
  private worker: ReaderHandle | null = null;
  private closed = false;

  constructor(options: ReadingProcessOptions) {
    this.options = options;
    this.mutex = new Mutex({
      resource: "the reading process",
      waitMs: options.waitMs,
      maxWaiting: MAX_WAITING,
    });
  }

  /** Number of connections. */
  get size(): number {
    return this.worker === null || this.worker.ended ? 0 : 1;
  }

  get busy(): boolean {
    return this.mutex.held;
  }

  get waiting(): number {
    return this.mutex.waiting;
  }

  /**
   * @throws DatabaseUnavailableError if the process is not free in time, is closed or ends, or the queue is full; DatabaseError after `statementTimeoutMs`; the
   * reason of the signal; NoProcessError; otherwise the error of `node:sqlite`
   */
  async read(request: ReadRequest, signal?: AbortSignal): Promise<ReadRows> {
    await this.mutex.acquire(signal);
    let worker: ReaderHandle;
    try {
      worker = this.currentWorker();
    } catch (error) {
      this.mutex.release();
      throw error;
    }
    const abandoned = new AbortController();
    const read = this.fetchRows(worker, request, abandoned.signal).finally(() => this.mutex.release());
    return await this.untilAbandoned(read, worker, abandoned, signal);
  }

  /** Waits for the current statement, up to the shorter of `waitMs` and `graceMs`, and then kills the process. */
  async close(graceMs: number = Infinity): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.mutex.acquire(undefined, Math.min(graceMs, this.options.waitMs)).catch(ignore);
    await this.worker?.end();
    this.mutex.release();
  }

  private currentWorker(): ReaderHandle {
    if (this.closed) throw databaseClosed();
    const { location, waitMs } = this.options;
    if (this.worker?.ended === true) this.worker = null; // killed while idle, for example for lack of memory
    return (this.worker ??= new ReaderHandle({ location, lockMs: Math.ceil(waitMs) }));
  }

  private async fetchRows(
    worker: ReaderHandle,
    request: ReadRequest,
    abandoned: AbortSignal,
  ): Promise<ReadRows> {
    const rows: Row[] = [];
    try {
      await worker.ready;
      for (let nextRequest: ReadRequest | null = request; ; nextRequest = null) {
        const part = await worker.request(nextRequest);
        if (part.fault !== null) throw errorOf(part.fault);
        rows.push(...part.rows);
        if (!part.more || abandoned.aborted) return { rows, tookMs: part.tookMs, workedMs: part.workedMs };
      }
    } catch (error) {
      if (!worker.ended) throw error;
      if (this.worker === worker) this.worker = null;
      if (!worker.started && !worker.killed) throw new NoProcessError("no process", { cause: error });
      throw new DatabaseUnavailableError("the reading process ended", { cause: error });
    }
  }

  /** Settles like a read, or earlier when the caller aborts or the time limit is reached. */
  private async untilAbandoned(
    read: Promise<ReadRows>,
    worker: ReaderHandle,
    abandoned: AbortController,
    signal?: AbortSignal,
  ): Promise<ReadRows> {
    const { promise, resolve, reject } = Promise.withResolvers<ReadRows>();
    let timer: NodeJS.Timeout | undefined;
    const abandon = (reason: unknown, graceMs: number): void => {
      reject(reason);
      abandoned.abort();
      clearTimeout(timer);
      timer = setTimeout(() => this.kill(worker), graceMs);
    };
    const { statementTimeoutMs: limitMs } = this.options;
    const startTimeout = (): void => {
      if (limitMs === 0 || abandoned.signal.aborted) return;
      timer = setTimeout(() => abandon(tooLong(limitMs), 0), limitMs);
    };
    const onAbort = (): void => abandon(signal?.reason, GRACE_MS);
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    worker.ready.then(startTimeout, ignore); // the time limit excludes the start of the process
    const onSettled = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    read.finally(onSettled).then(resolve, reject);
    return await promise;
  }

  /** Kills the process during its statement; the next read starts another. */
  private kill(worker: ReaderHandle): void {
    if (this.worker === worker) this.worker = null;
    void worker.end();
  }
}

const ignore = (): void => {};

const errorOf = ({ message, code, errcode }: Fault): Error =>
  Object.assign(new Error(message), { code, errcode });

const tooLong = (limitMs: number): DatabaseError =>
  new DatabaseError("cancelled", `the statement was abandoned after ${limitMs} ms`, { sqlCode: INTERRUPTED });
