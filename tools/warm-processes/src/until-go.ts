import { flushCompileCache } from "node:module";

/** The line that a program prints when it is loaded and connected. */
export const READY = "ready\n";

/** The line that a program prints when it has begun to work. */
export const BEGUN = "begun\n";

/** Called by a program that needs time between `go` and its work: half of the processes are killed some milliseconds after this call. */
export const hasBegun = (): void => void process.stdout.write(BEGUN);

/**
 * Called by a program when it is loaded and connected: resolves when it may start to work. The process exits when the test has ended.
 *
 * Loaded code is stored in the compile cache first (`NODE_COMPILE_CACHE`): a process that is killed later stores nothing.
 */
export const untilGo = async (): Promise<void> => {
  flushCompileCache();
  process.stdin.once("end", () => process.exit());
  process.stdout.write(READY);
  await new Promise((resolve) => process.stdin.once("data", resolve));
};
