import type { Logger } from "../../log/logger.ts";
import { type Clock, systemClock } from "../../runtime/clock.ts";
import { nodeBuiltin } from "../../runtime/node-builtins.ts";

/** Milliseconds between two checks; one takes about 10 µs. */
const CHECK_MS = 1000;
/** Minimum milliseconds between two log lines. */
const LOG_PERIOD_MS = 60_000;

/** Whether another file or socket can be opened. Also true if that cannot be determined, as in a sandbox without the null device. */
export const hasFreeDescriptor = (): boolean => {
  const { closeSync, openSync } = nodeBuiltin("node:fs");
  try {
    closeSync(openSync(nodeBuiltin("node:os").devNull, "r"));
    return true;
  } catch (error) {
    return !exhaustedCodes.has(String((error as { readonly code?: unknown }).code));
  }
};

/** Error codes when the process or the system has no free descriptor. */
const exhaustedCodes = new Set(["EMFILE", "ENFILE"]);

/**
 * Logs, at most once a minute, that this process has used up its file descriptors: accepting then fails, and Node closes connections without an event. Returns
 * a function that stops the checks.
 */
export const watchDescriptors = (log: Logger, clock: Clock = systemClock): (() => void) => {
  let quietUntil = -Infinity;
  return clock.every(CHECK_MS, () => {
    const now = clock.now();
    if (now < quietUntil || hasFreeDescriptor()) return;
    quietUntil = now + LOG_PERIOD_MS;
    log.error(
      "no file descriptor is free: new connections are closed without a reply; raise the limit of open files, or lower LimitsConfig.maxConnections",
    );
  });
};
