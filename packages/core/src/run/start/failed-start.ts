import type { Logger } from "../../log/logger.ts";
import { EXIT_FAILURE, EXIT_OK } from "../stop/exit-codes.ts";
import type { Ending } from "../stop/owned-process.ts";
import { startFailureText, toStartFailure } from "./start-error.ts";

/** Prints in one message why the service did not start, and returns the exit code: 0 when a signal ended the start, else 1. */
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
