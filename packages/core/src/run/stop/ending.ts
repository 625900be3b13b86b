import type { Logger } from "../../log/logger.ts";
import { EXIT_FAILURE, EXIT_OK } from "./exit-codes.ts";
import type { Ending } from "./owned-process.ts";

/** The exit code after a clean drain. */
export const endingCode = (ending: Ending): number => ("signal" in ending ? EXIT_OK : EXIT_FAILURE);

/** Logs an uncaught error with its consequence; a signal is not logged. */
export const reportUncaught = (ending: Ending, log: Logger): void => {
  if ("signal" in ending) return;
  log.error(`${ending.kind}: the process drains and ends with code ${EXIT_FAILURE}`, { error: ending.error });
};
