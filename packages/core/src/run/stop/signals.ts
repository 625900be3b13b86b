import { exitCodeOf } from "./exit-codes.ts";

/** What a process does on the signals that ask it to end. */
interface SignalActions {
  /** The first SIGTERM or SIGINT. */
  readonly stop: (signal: NodeJS.Signals) => void;
  /** Before a second one ends the process at once with 128 + its number. */
  readonly abandon: () => void;
}

/** The two ways in which an error ends a process. */
export type UncaughtKind = "uncaught exception" | "unhandled rejection";

const endSignals = ["SIGTERM", "SIGINT"] as const;

/** Within this time a further signal is the first one again: a terminal sends to all, and `npm`, `timeout` and others pass it on. */
const SAME_SIGNAL_MS = 250;

/** Listens to SIGTERM and SIGINT until the returned function is called. */
export const onEndSignals = ({ stop, abandon }: SignalActions): (() => void) => {
  let first: number | undefined;
  const listener = (signal: NodeJS.Signals): void => {
    if (first === undefined) {
      first = performance.now();
      stop(signal);
    } else if (performance.now() - first > SAME_SIGNAL_MS) {
      abandon();
      process.exit(exitCodeOf(signal));
    }
  };
  for (const signal of endSignals) process.on(signal, listener);
  return () => {
    for (const signal of endSignals) process.off(signal, listener);
  };
};

/** Passes uncaught exceptions and unhandled rejections to `report` until the returned function is called. */
export const onUncaught = (report: (error: unknown, kind: UncaughtKind) => void): (() => void) => {
  const thrown = (error: unknown): void => report(error, "uncaught exception");
  const rejected = (reason: unknown): void => report(reason, "unhandled rejection");
  process.on("uncaughtException", thrown);
  process.on("unhandledRejection", rejected);
  return () => {
    process.off("uncaughtException", thrown);
    process.off("unhandledRejection", rejected);
  };
};

/** Keeps the process alive when the reader of its output is gone (EPIPE), until the returned function is called. */
export const onLostOutput = (): (() => void) => {
  const listener = (error: NodeJS.ErrnoException): void => {
    if (error.code !== "EPIPE") throw error;
  };
  const streams = [process.stdout, process.stderr];
  for (const stream of streams) stream.on("error", listener);
  return () => {
    for (const stream of streams) stream.off("error", listener);
  };
};
