import type { Logger } from "../../log/logger.ts";
import { EXIT_FAILURE, EXIT_OK } from "../stop/exit-codes.ts";
import type { EndReason } from "../stop/owned-process.ts";
import { startFailureText, toStartFailure } from "./start-error.ts";

/** Prints the reason of a failed start in one message. Returns the exit code: 0 if a signal ended the start, else 1. */
export const reportFailedStart = (
  error: unknown,
  reason: EndReason | undefined,
  log: Logger | undefined,
): number => {
  if (reason !== undefined && "signal" in reason) {
    log?.info(`${reason.signal} during the start: the start was rolled back`);
    return EXIT_OK;
  }
  process.stderr.write(startFailureText(toStartFailure(reason === undefined ? error : reason.error)));
  return EXIT_FAILURE;
};
