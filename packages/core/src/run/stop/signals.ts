import { FrameworkError } from "../../errors/framework-error.ts";
import { toError } from "../../errors/to-error.ts";
import { throttledLog } from "../../log/throttled-log.ts";
import type { Logger } from "../../log/logger.ts";
import { exitCodeOf } from "./exit-codes.ts";

/** Callbacks for signals that end the process. */
interface SignalActions {
  /** Called for the first SIGTERM or SIGINT. */
  readonly stop: (signal: NodeJS.Signals) => void;
  /** Called before a second signal, at least 250 ms later, ends the process at once with 128 + its number. */
  readonly abandon: () => void;
}

/** The two kinds of errors that end a process. */
export type UncaughtKind = "uncaught exception" | "unhandled rejection";

const endSignals = ["SIGTERM", "SIGINT"] as const;

/** Milliseconds during which further signals count as the first one: a terminal sends a signal to all processes, and `npm`, `timeout` and others forward it. */
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

/**
 * Passes uncaught exceptions and unhandled rejections to `report` until the returned function is called. A rejection with a client error (4xx), of a promise
 * that a handler dropped, is only logged: clients must not be able to end the process.
 */
export const onUncaught = (
  report: (error: unknown, kind: UncaughtKind) => void,
  log: () => Pick<Logger, "error">,
): (() => void) => {
  const throttled = throttledLog();
  const thrown = (error: unknown): void => report(error, "uncaught exception");
  const rejected = (reason: unknown): void => {
    if (!isClientError(reason)) return report(reason, "unhandled rejection");
    const message =
      "unhandled rejection of a client's error: await the promise, or catch it; the process continues";
    throttled((omitted) => log().error(message, { error: reason, omitted }));
  };
  process.on("uncaughtException", thrown);
  process.on("unhandledRejection", rejected);
  return () => {
    process.off("uncaughtException", thrown);
    process.off("unhandledRejection", rejected);
  };
};

const isClientError = (reason: unknown): boolean => {
  if (!FrameworkError.is(reason)) return false;
  const { status } = toError(reason) as { readonly status?: unknown };
  return typeof status === "number" && status >= 400 && status < 500;
};

/** Ignores write errors of the process's output until the returned function is called: its reader may have exited, or the disk may be full. */
export const ignoreOutputErrors = (): (() => void) => {
  const listener = (): void => {}; // the error cannot be reported, because the output itself failed
  const streams = [process.stdout, process.stderr];
  for (const stream of streams) stream.on("error", listener);
  return () => {
    for (const stream of streams) stream.off("error", listener);
  };
};
