import type { Logger } from "../../log/logger.ts";
import { startFailureText, toStartFailure } from "../start/start-error.ts";
import { EXIT_FAILURE, EXIT_OK } from "./exit-codes.ts";
import type { Ending } from "./owned-process.ts";

/** The exit code after a clean drain. */
export const endingCode = (ending: Ending): number => ("signal" in ending ? EXIT_OK : EXIT_FAILURE);

/** Logs an uncaught error with its consequence; a signal needs no line. */
export const reportUncaught = (ending: Ending, log: Logger): void => {
  if ("signal" in ending) return;
  log.error(`${ending.kind}: the process drains and ends with code ${EXIT_FAILURE}`, { error: ending.error });
};

/** Says in one message why the service did not start, and gives the exit code: 0 when a signal ended the start, else 1. */
export const reportFailedStart = (
  error: unknown,
  ending: Ending | undefined,
  log: Logger | undefined,
): number => {
  if (ending !== undefined && "signal" in ending) {
    log?.info(`${ending.signal} during the start: the service did not start, and what had begun was undone`);
    return EXIT_OK;
  }
  process.stderr.write(startFailureText(toStartFailure(ending === undefined ? error : ending.error)));
  return EXIT_FAILURE;
};
