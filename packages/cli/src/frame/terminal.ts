import { buffer } from "node:stream/consumers";
import type { Clock } from "@framework/core/feature";

/** Where a command writes: a stream of the process, or a collector of a test. */
export interface Output {
  write(text: string): void;
  /** Writes bytes that may be no text; `null` for a collector of text. */
  readonly writeBytes: ((bytes: Uint8Array) => void) | null;
  /** Whether a person reads it: colours and progress bars appear only then. */
  readonly isTerminal: boolean;
  /** Characters of a line. */
  readonly columns: number;
}

/** What a command knows of its surroundings. */
export interface Terminal {
  /** Receives the result. */
  readonly out: Output;
  /** Receives mistakes and progress. */
  readonly err: Output;
  /** Resolves with all of standard input; it is read once. */
  readonly input: () => Promise<Buffer<ArrayBuffer>>;
  /** Working directory. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Timers of deadlines. */
  readonly clock: DeadlineClock;
}

/** The part of a clock that deadlines need. */
export type DeadlineClock = Pick<Clock, "after">;

/** Unlike those of core's clock, its timers keep the process alive: an app without a reply may have nothing else that does. */
const processClock: DeadlineClock = {
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
};

/** The write of stdout that results use, after `reserveStdout`. */
let reserved: typeof process.stdout.write | null = null;

/** Reserves stdout for results: what an app of this process prints, with `console.log` for instance, appears on stderr. Returns the write of stdout. */
export const reserveStdout = (): typeof process.stdout.write => {
  const write = (reserved = process.stdout.write.bind(process.stdout));
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return write;
};

/** The streams of this process. */
export const processTerminal = (): Terminal => ({
  out: outputTo(process.stdout, reserved ?? process.stdout.write.bind(process.stdout)),
  err: outputTo(process.stderr, process.stderr.write.bind(process.stderr)),
  input: standardInput,
  cwd: process.cwd(),
  environment: process.env,
  clock: processClock,
});

let input: Promise<Buffer<ArrayBuffer>> | null = null;

const standardInput = (): Promise<Buffer<ArrayBuffer>> =>
  (input ??= buffer(process.stdin) as Promise<Buffer<ArrayBuffer>>); // Node's type allows for shared memory

const outputTo = (stream: NodeJS.WriteStream, write: NodeJS.WriteStream["write"]): Output => ({
  write: (text) => void write(text),
  writeBytes: (bytes) => void write(bytes),
  isTerminal: stream.isTTY,
  columns: stream.columns || 80,
});

/** Whether an output gets colours: a terminal does, unless `NO_COLOR` or `TERM=dumb` is set. */
export const hasColours = ({ isTerminal }: Output, environment: Terminal["environment"]): boolean =>
  isTerminal && (environment["NO_COLOR"] ?? "") === "" && environment["TERM"] !== "dumb";
