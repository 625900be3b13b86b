import { flushCompileCache } from "node:module";

/** The line by which a program says that it is loaded and connected. */
export const READY = "ready\n";

/**
 * Called by a program when it is loaded and connected: resolves when it shall work. The process exits when the test is gone.
 *
 * Loaded code is stored in the compile cache first (`NODE_COMPILE_CACHE`): a process that is killed later stores nothing.
 */
export const untilGo = async (): Promise<void> => {
  flushCompileCache();
  process.stdin.once("end", () => process.exit());
  process.stdout.write(READY);
  await new Promise((resolve) => process.stdin.once("data", resolve));
};
