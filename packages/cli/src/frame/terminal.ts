import type { Clock } from "@framework/core/feature";

/** Where a command writes: a stream of the process, or a collector of a test. */
export interface Output {
  write(text: string): void;
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

/** The streams of this process. */
export const processTerminal = (): Terminal => ({
  out: outputTo(process.stdout),
  err: outputTo(process.stderr),
  cwd: process.cwd(),
  environment: process.env,
  clock: processClock,
});

const outputTo = (stream: NodeJS.WriteStream): Output => ({
  write: (text) => void stream.write(text),
  isTerminal: stream.isTTY,
  columns: stream.columns || 80,
});

/** Whether an output gets colours: a terminal does, unless `NO_COLOR` or `TERM=dumb` is set. */
export const hasColours = ({ isTerminal }: Output, environment: Terminal["environment"]): boolean =>
  isTerminal && (environment["NO_COLOR"] ?? "") === "" && environment["TERM"] !== "dumb";
