import { fstatSync, writeSync } from "node:fs";
import { Writable } from "node:stream";
import type { LogDestination } from "./logging-config.ts";

/** A destination that accepts bytes without waiting, and reports when it has room again. */
export interface Outlet {
  /** Writes as many bytes as possible without waiting; returns their number. @throws if the destination is lost */
  write(lines: Buffer): number;
  /** Calls back once the destination may have room. */
  onReady(listener: () => void): void;
  /** Resolves when all accepted bytes are written. @default they are written when they are accepted */
  flush?(): Promise<void>;
  /** Writes all accepted bytes, at the end of the process. */
  flushSync?(): void;
}

/** A pipe writes up to this many bytes atomically, so lines of up to this length never mix with lines of other workers. */
const PIPE_BUF = 4096;
const FIRST_WAIT_MS = 1;
const MAX_WAIT_MS = 64;

/**
 * An open file descriptor. Files and devices get each batch in one write. Pipes and sockets get it in pieces of whole lines, each up to `PIPE_BUF` unless a line is
 * longer; while they are full, writes are retried after 1 ms, doubling up to 64 ms.
 */
export const fileOutlet = (fd: number): Outlet => {
  if (fd === 1) void process.stdout.isTTY; // Node makes a pipe non-blocking when its stream is first accessed
  if (fd === 2) void process.stderr.isTTY;
  const stats = fstatSync(fd);
  const hasReader = stats.isFIFO() || stats.isSocket();
  let waitMs = FIRST_WAIT_MS;
  return {
    write(lines) {
      let writtenBytes = 0;
      try {
        while (writtenBytes < lines.length) {
          const end = hasReader ? endOfPiece(lines, writtenBytes) : lines.length;
          writtenBytes += writeSync(fd, lines, writtenBytes, end - writtenBytes);
          waitMs = FIRST_WAIT_MS;
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      }
      return writtenBytes;
    },
    onReady(listener) {
      setTimeout(listener, waitMs).unref();
      waitMs = Math.min(2 * waitMs, MAX_WAIT_MS);
    },
  };
};

const NEWLINE = 10;

const endOfPiece = (lines: Buffer, start: number): number => {
  if (lines.length - start <= PIPE_BUF) return lines.length;
  const last = lines.lastIndexOf(NEWLINE, start + PIPE_BUF - 1);
  if (last >= start) return last + 1;
  const end = lines.indexOf(NEWLINE, start + PIPE_BUF); // a line longer than PIPE_BUF
  return end === -1 ? lines.length : end + 1;
};

const streams = new WeakMap<LogDestination, Outlet>();

/** An object with `write`: a Node stream or a pino destination. Apps that write to the same object share one outlet with one error listener. */
export const streamOutlet = (destination: LogDestination): Outlet => {
  const known = streams.get(destination);
  if (known !== undefined) return known;
  const outlet = outletOf(destination);
  streams.set(destination, outlet);
  return outlet;
};

const outletOf = (destination: LogDestination): Outlet => {
  let full = false;
  let pending = 0;
  const listeners: (() => void)[] = [];
  const waiting: (() => void)[] = [];
  const onFlushed = (): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  const onWritten = (): void => {
    if (--pending === 0) onFlushed();
  };
  /** A stream of Node accepts lines long before it has written them, and then calls back. */
  const write = (lines: string): unknown => {
    if (!(destination instanceof Writable)) return destination.write(lines);
    pending++;
    return destination.write(lines, onWritten);
  };
  const proceed = (): void => {
    full = false;
    for (const listener of listeners.splice(0)) listener();
  };
  /** A destination of pino buffers lines that it could not write, and retries them at the next write. An empty write does not grow the buffer. */
  const writeAgain = (): void => {
    if (full && destination.destroyed !== true) destination.write("");
  };
  const onClosed = (): void => {
    proceed();
    onFlushed();
  };
  const onError = (): void => {
    if (destination.destroyed === true) onClosed();
    else if (full) setTimeout(writeAgain, MAX_WAIT_MS).unref();
  };
  destination.on?.("error", onError); // without a listener, a full disk or a lost connection would end the process
  destination.on?.("close", onClosed);
  return {
    write(lines) {
      if (destination.destroyed === true) throw new Error("the destination is closed");
      if (full) return 0;
      if (write(lines.toString()) === false && destination.once !== undefined) {
        full = true;
        destination.once("drain", proceed);
      }
      return lines.length;
    },
    onReady(listener) {
      listeners.push(listener);
    },
    async flush() {
      if (pending === 0 || destination.destroyed === true) return;
      await new Promise<void>((resolve) => void waiting.push(resolve));
    },
    flushSync() {
      destination.flushSync?.();
    },
  };
};
