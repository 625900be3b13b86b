import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import type { Logger } from "../../log/logger.ts";
import { type Clock, systemClock } from "../../runtime/clock.ts";

/** Milliseconds between two looks; one takes about 10 µs. */
const LOOK_MS = 1000;
/** Milliseconds after a line in which there is no other. */
const LINE_MS = 60_000;

/** Whether one more file or socket can be opened. */
export const hasFreeDescriptor = (): boolean => {
  try {
    closeSync(openSync(devNull, "r"));
    return true;
  } catch {
    return false;
  }
};

/**
 * Logs when this process has used up its file descriptors, at most once a minute. The system's accept then fails, and Node closes connections without an
 * event. Returns what ends it.
 */
export const watchDescriptors = (log: Logger, clock: Clock = systemClock): (() => void) => {
  let quietUntil = -Infinity;
  return clock.every(LOOK_MS, () => {
    const now = clock.now();
    if (now < quietUntil || hasFreeDescriptor()) return;
    quietUntil = now + LINE_MS;
    log.error(
      "no file descriptor is free: new connections are closed without a reply; raise the limit of open files, or lower LimitsConfig.maxConnections",
    );
  });
};
