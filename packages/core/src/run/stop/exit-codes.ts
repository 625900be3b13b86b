import { nodeBuiltin } from "../../runtime/node-builtins.ts";

/** The process completed its work and stopped cleanly. */
export const EXIT_OK = 0;

/** Start error, worker crash loop, uncaught error, or a drain that exceeded its deadline. */
export const EXIT_FAILURE = 1;

/** The conventional exit code of a process ended by a signal: 128 + the signal's number. */
export const exitCodeOf = (signal: NodeJS.Signals): number =>
  128 + nodeBuiltin("node:os").constants.signals[signal];
