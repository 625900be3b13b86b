/** Tells a program that the file descriptor below is its lifeline; the program never sees it. */
const VARIABLE = "FRAMEWORK_TESTING_LIFELINE";

/**
 * Runs in the program before its own code. The operating system closes the other end of the pipe however the test run ends, killed or crashed too; then
 * the program ends as well. Programs that this one starts do not inherit the variable, so that a descriptor of theirs is left alone.
 */
const preload = `
import { Socket } from "node:net";
if (process.env.${VARIABLE} !== undefined) {
  const fd = Number(process.env.${VARIABLE});
  delete process.env.${VARIABLE};
  const lifeline = new Socket({ fd });
  lifeline.on("error", () => {}).on("close", () => process.kill(process.pid, "SIGKILL"));
  lifeline.resume().unref();
}`;

/** What ties a child process to the life of this one. */
export interface Lifeline {
  /** Arguments for Node, before the program's file. */
  readonly execArgv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A lifeline over a pipe that the child has as descriptor `fd`. */
export const lifelineOn = (fd: number): Lifeline => ({
  execArgv: [`--import=data:text/javascript,${encodeURIComponent(preload)}`],
  env: { [VARIABLE]: String(fd) },
});
