import type { Logger } from "./logger.ts";
import { printable } from "../http/printable.ts";
import { messageOf } from "./value-text.ts";

type Write = Logger["error"];

/**
 * Wraps a logger so that `info`, `warn` and `error` never throw: a failing logger must not fail a request. The failure is written to the console, with the
 * line's message.
 */
export const failsafeLog = (log: Logger): Logger => {
  const failsafe =
    (level: "info" | "warn" | "error"): Write =>
    (message, fields) => {
      try {
        log[level](message, fields);
      } catch (error) {
        console.error(printable(`the logger failed (${messageOf(error)}) at: ${message}`));
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
