import { buffer } from "node:stream/consumers";
import type { Clock } from "@framework/core/feature";

/** Output of a command: a stream of the process, or a function of the caller. */
export interface Output {
  write(text: string): void;
  /** Writes bytes; `null` if the output accepts only text. */
  readonly writeBytes: ((bytes: Uint8Array) => void) | null;
  /** Whether it is a terminal, which gets colours and progress bars. */
  readonly isTerminal: boolean;
  /** Maximum number of characters in a line. */
  readonly columns: number;
}

/** Streams, working directory, variables and timers of a command. */
export interface Terminal {
  /** Receives the result. */
  readonly out: Output;
  /** Receives error messages and progress. */
  readonly err: Output;
  /** Resolves with all of standard input; it is read once. */
  readonly input: () => Promise<Buffer<ArrayBuffer>>;
  /** Working directory. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Timers of deadlines. */
  readonly clock: DeadlineClock;
}

/** The part of a clock that deadlines use. */
export type DeadlineClock = Pick<Clock, "after">;

/** Unlike the timers of core's clock, these keep the process alive: while an app has not replied, nothing else may do so. */
const processClock: DeadlineClock = {
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
};

/** The original write of stdout; set by `reserveStdout`. */
let originalWrite: typeof process.stdout.write | null = null;

/** Reserves stdout for results and redirects all other output, such as `console.log`, to stderr. Returns the original write of stdout. */
export const reserveStdout = (): typeof process.stdout.write => {
  const write = (originalWrite = process.stdout.write.bind(process.stdout));
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return write;
};

/** Returns the streams of this process. */
export const processTerminal = (): Terminal => ({
  out: outputTo(process.stdout, originalWrite ?? process.stdout.write.bind(process.stdout)),
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
