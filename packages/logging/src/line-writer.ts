import type { Outlet } from "./outlet.ts";

/** Length in UTF-16 code units at which a batch is written before the turn of the event loop ends. */
const MAX_BATCH = 65_536;
/** Milliseconds without progress after which an exiting process stops waiting for the destination. */
const MAX_STALL_MS = 1000;

/** Options of a line writer. */
export interface LineWriterOptions {
  readonly outlet: Outlet;
  /** Maximum number of bytes in the queue. */
  readonly maxQueueBytes: number;
  /** Formats the line that reports dropped lines, newline included. */
  readonly lossLine: (lost: number) => string;
}

/**
 * Writes lines in batches, one write at the end of each turn of the event loop. While the destination is slow, lines wait in a bounded queue;
 * lines that do not fit are dropped and counted, and a line reports the count once the queue has been written.
 */
export class LineWriter {
  /** Number of dropped lines. */
  dropped = 0;
  private readonly outlet: Outlet;
  private readonly maxQueueBytes: number;
  private readonly lossLine: (lost: number) => string;
  private batch = "";
  private isScheduled = false;
  private queue: Buffer[] = [];
  private queuedBytes = 0;
  private unreported = 0;
  private isWaiting = false;
  private idle: (() => void)[] = [];

  constructor({ outlet, maxQueueBytes, lossLine }: LineWriterOptions) {
    this.outlet = outlet;
    this.maxQueueBytes = maxQueueBytes;
    this.lossLine = lossLine;
  }

  /** Writes one line, newline included. */
  add(line: string): void {
    this.batch += line;
    if (this.batch.length >= MAX_BATCH) this.writeBatch();
    else if (!this.isScheduled) {
      this.isScheduled = true;
      setImmediate(this.endOfTurn);
    }
  }

  /** Resolves when everything is written, also by the destination, or after `limitMs`. */
  async flush(limitMs: number): Promise<void> {
    this.writeBatch();
    if (this.queue.length === 0 && this.outlet.flush === undefined) return;
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, limitMs);
    await Promise.race([this.flushQueue(), timeout]);
    clearTimeout(timer);
  }

  private async flushQueue(): Promise<void> {
    if (this.queue.length > 0) await new Promise<void>((resolve) => void this.idle.push(resolve));
    await this.outlet.flush?.();
  }

  /** Writes everything synchronously, for the end of the process; gives up when the destination accepts nothing for a second. */
  readonly flushSync = (): void => {
    this.writeBatch();
    let remainingMs = MAX_STALL_MS;
    while (this.queue.length > 0 && remainingMs > 0) {
      const before = this.queuedBytes;
      this.writeQueue();
      if (this.queuedBytes < before) remainingMs = MAX_STALL_MS;
      else remainingMs -= pause(5);
    }
    this.outlet.flushSync?.();
  };

  private readonly endOfTurn = (): void => {
    this.isScheduled = false;
    this.writeBatch();
  };

  private readonly retry = (): void => {
    this.isWaiting = false;
    this.writeQueue();
  };

  private writeBatch(): void {
    if (this.batch === "") return;
    const lines = Buffer.from(this.batch);
    this.batch = "";
    if (this.queue.length === 0) this.enqueue(lines.subarray(this.offer(lines)));
    else this.enqueue(lines);
    if (this.queue.length > 0) this.wait();
  }

  private writeQueue(): void {
    for (;;) {
      const [first] = this.queue;
      if (first === undefined) break;
      const writtenBytes = this.offer(first);
      this.queuedBytes -= writtenBytes;
      if (writtenBytes < first.length) {
        this.queue[0] = first.subarray(writtenBytes);
        return this.wait();
      }
      this.queue.shift();
      if (this.queue.length === 0) this.reportLoss();
    }
    for (const resolve of this.idle.splice(0)) resolve();
  }

  /** Returns the number of bytes written. If the destination is lost, it counts all lines as dropped, and returns the length of `lines`. */
  private offer(lines: Buffer): number {
    try {
      return this.outlet.write(lines);
    } catch {
      this.dropped += linesIn(lines); // the log cannot report its own errors
      return lines.length;
    }
  }

  private enqueue(lines: Buffer): void {
    if (lines.length === 0) return;
    const room = this.maxQueueBytes - this.queuedBytes;
    const fits =
      lines.length <= room ? lines.length : room <= 0 ? 0 : lines.lastIndexOf(NEWLINE, room - 1) + 1;
    if (fits > 0) {
      this.queue.push(lines.subarray(0, fits));
      this.queuedBytes += fits;
    }
    const lost = linesIn(lines.subarray(fits));
    this.dropped += lost;
    this.unreported += lost;
  }

  private reportLoss(): void {
    if (this.unreported === 0) return;
    const line = Buffer.from(this.lossLine(this.unreported));
    this.unreported = 0;
    this.queue.push(line);
    this.queuedBytes += line.length;
  }

  private wait(): void {
    if (this.isWaiting) return;
    this.isWaiting = true;
    this.outlet.onReady(this.retry);
  }
}

const NEWLINE = 10;

const linesIn = (lines: Buffer): number => {
  let count = 0;
  for (let at = lines.indexOf(NEWLINE); at !== -1; at = lines.indexOf(NEWLINE, at + 1)) count++;
  return count;
};

/** Blocks; only for an exiting process. */
const pause = (ms: number): number => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return ms;
};
