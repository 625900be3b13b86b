import { fstatSync, writeSync } from "node:fs";
import type { LogDestination } from "./logging-config.ts";

/** The end of the line: takes bytes without waiting, and says when it can take no more. */
export interface Outlet {
  /** Writes from the front as much as goes now; gives the number of bytes taken. @throws when the destination is lost */
  write(lines: Buffer): number;
  /** Calls back when it is worth while to try again. */
  onReady(listener: () => void): void;
  /** Writes everything that was taken, at the end of the process. */
  flushSync?(): void;
}

/** Up to so many bytes a pipe takes whole or not at all (PIPE_BUF), so that lines of several workers never mix. */
const PIPE_PIECE = 4096;
const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 64;

/**
 * An open file by its number. Files and devices get each batch in one write. Pipes and sockets, whose reader may be slow, get pieces of whole lines
 * and are asked again after 1 ms, and then twice as long each time up to 64 ms, while they are full.
 */
export const fileOutlet = (fd: number): Outlet => {
  if (fd === 1) void process.stdout.isTTY; // Node makes a pipe non-blocking when its stream is first touched
  if (fd === 2) void process.stderr.isTTY;
  const stats = fstatSync(fd);
  const hasReader = stats.isFIFO() || stats.isSocket();
  let waitMs = FIRST_WAIT_MS;
  return {
    write(lines) {
      let taken = 0;
      try {
        while (taken < lines.length) {
          const end = hasReader ? endOfPiece(lines, taken) : lines.length;
          taken += writeSync(fd, lines, taken, end - taken);
          waitMs = FIRST_WAIT_MS;
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      }
      return taken;
    },
    onReady(listener) {
      setTimeout(listener, waitMs).unref();
      waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
    },
  };
};

const NEWLINE = 10;

const endOfPiece = (lines: Buffer, start: number): number => {
  if (lines.length - start <= PIPE_PIECE) return lines.length;
  const last = lines.lastIndexOf(NEWLINE, start + PIPE_PIECE - 1);
  if (last >= start) return last + 1;
  const next = lines.indexOf(NEWLINE, start + PIPE_PIECE); // one line longer than a piece
  return next === -1 ? lines.length : next + 1;
};

/** An object that takes lines: a stream of Node, or what pino makes. */
export const streamOutlet = (destination: LogDestination): Outlet => {
  let full = false;
  const listeners: (() => void)[] = [];
  const drained = (): void => {
    full = false;
    for (const listener of listeners.splice(0)) listener();
  };
  return {
    write(lines) {
      if (full) return 0;
      if (destination.write(lines.toString()) === false && destination.once !== undefined) {
        full = true;
        destination.once("drain", drained);
      }
      return lines.length;
    },
    onReady(listener) {
      listeners.push(listener);
    },
    flushSync() {
      destination.flushSync?.();
    },
  };
};
