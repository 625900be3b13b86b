import { nodeBuiltin } from "../../runtime/node-builtins.ts";

/** The process did what it was asked and stopped cleanly. */
export const EXIT_OK = 0;

/** Start error, worker crash loop, uncaught exception, or a drain that passed its deadline. */
export const EXIT_FAILURE = 1;

/** The conventional code of a process that a signal ended: 128 + the signal's number. */
export const exitCodeOf = (signal: NodeJS.Signals): number =>
  128 + nodeBuiltin("node:os").constants.signals[signal];
