import type { Logger } from "../../log/logger.ts";
import { EXIT_FAILURE, EXIT_OK } from "./exit-codes.ts";
import type { EndReason } from "./owned-process.ts";

/** The exit code after a clean drain: 0 for a signal, 1 for an uncaught error. */
export const exitCodeFor = (reason: EndReason): number => ("signal" in reason ? EXIT_OK : EXIT_FAILURE);

/** Logs an uncaught error with its consequence; a signal is not logged. */
export const reportUncaught = (reason: EndReason, log: Logger): void => {
  if ("signal" in reason) return;
  log.error(`${reason.kind}: the process drains and ends with code ${EXIT_FAILURE}`, { error: reason.error });
};
