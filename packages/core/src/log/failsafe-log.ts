import type { Logger } from "./logger.ts";
import { printable } from "../http/printable.ts";
import { isPromise } from "../middleware/middleware.ts";
import { messageOf } from "./value-text.ts";

type Write = Logger["error"];

/**
 * Wraps a logger so that `info`, `warn` and `error` never throw, and reject no promise: a failing logger must not fail a request, or end the process. The
 * failure is written to the console, with the line's message.
 */
export const failsafeLog = (log: Logger): Logger => {
  const failsafe =
    (level: "info" | "warn" | "error"): Write =>
    (message, fields) => {
      const failed = (error: unknown): void =>
        console.error(printable(`the logger failed (${messageOf(error)}) at: ${message}`));
      try {
        const written: unknown = log[level](message, fields); // an asynchronous function has the type of a logger's
        if (isPromise(written)) written.then(undefined, failed);
      } catch (error) {
        failed(error);
      }
    };
  return {
    info: failsafe("info"),
    warn: failsafe("warn"),
    error: failsafe("error"),
    ...(log.redirect !== undefined && { redirect: (to: Logger) => redirectOf(log, to) }),
    ...(log.collect !== undefined && { collect: (line: string) => log.collect?.(line) }),
  };
};

const redirectOf = (log: Logger, to: Logger): (() => void) => log.redirect?.(to) ?? (() => {});
