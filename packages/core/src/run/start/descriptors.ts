import type { Logger } from "../../log/logger.ts";
import { type Clock, systemClock } from "../../runtime/clock.ts";
import { nodeBuiltin } from "../../runtime/node-builtins.ts";

/** Milliseconds between two looks; one takes about 10 µs. */
const LOOK_MS = 1000;
/** Milliseconds after a line in which there is no other. */
const LINE_MS = 60_000;

/** Whether one more file or socket can be opened; true where that cannot be found out, as in a sandbox without the file that is opened. */
export const hasFreeDescriptor = (): boolean => {
  const { closeSync, openSync } = nodeBuiltin("node:fs");
  try {
    closeSync(openSync(nodeBuiltin("node:os").devNull, "r"));
    return true;
  } catch (error) {
    return !exhausted.has(String((error as { readonly code?: unknown }).code));
  }
};

/** Errors of a process, and of a system, without a free descriptor. */
const exhausted = new Set(["EMFILE", "ENFILE"]);

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
