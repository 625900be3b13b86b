import type { Logger } from "../../log/logger.ts";
import { EXIT_FAILURE, EXIT_OK, exitCodeOf } from "./exit-codes.ts";

/** What a process does on the signals that ask it to end. */
interface SignalActions {
  /** The first SIGTERM or SIGINT. */
  readonly stop: (signal: NodeJS.Signals) => void;
  /** Before a second one ends the process at once with 128 + its number. */
  readonly abandon?: () => void;
}

const endSignals = ["SIGTERM", "SIGINT"] as const;

/** Within this time a further signal is the first one again: a terminal sends to all, and `npm`, `timeout` and others pass it on. */
const SAME_SIGNAL_MS = 250;

/** Listens to SIGTERM and SIGINT until the returned function is called. */
const onEndSignals = ({ stop, abandon }: SignalActions): (() => void) => {
  let first: number | undefined;
  const listener = (signal: NodeJS.Signals): void => {
    if (first === undefined) {
      first = performance.now();
      stop(signal);
    } else if (performance.now() - first > SAME_SIGNAL_MS) {
      abandon?.();
      process.exit(exitCodeOf(signal));
    }
  };
  for (const signal of endSignals) process.on(signal, listener);
  return () => {
    for (const signal of endSignals) process.off(signal, listener);
  };
};

/** Hands an uncaught exception or an unhandled rejection to `report` until the returned function is called. */
export const onUncaught = (report: (error: unknown, kind: string) => void): (() => void) => {
  const thrown = (error: unknown): void => report(error, "uncaught exception");
  const rejected = (reason: unknown): void => report(reason, "unhandled rejection");
  process.on("uncaughtException", thrown);
  process.on("unhandledRejection", rejected);
  return () => {
    process.off("uncaughtException", thrown);
    process.off("unhandledRejection", rejected);
  };
};

/** Lets the process live on when nobody reads its output any more, until the returned function is called. */
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

/**
 * Makes the process the service's own: SIGTERM and SIGINT end it cleanly, an uncaught error ends it with a failure, a second signal
 * ends it at once, after `abandon`. Lasts until the returned function is called.
 */
export const ownProcess = (log: Logger, end: (code: number) => void, abandon?: () => void): (() => void) => {
  const undo = [
    onEndSignals({ stop: () => end(EXIT_OK), ...(abandon && { abandon }) }),
    onUncaught((error, kind) => {
      log.error(kind, { error });
      end(EXIT_FAILURE);
    }),
    onLostOutput(),
  ];
  return () => {
    for (const off of undo) off();
  };
};
