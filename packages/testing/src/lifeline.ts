/** Variable with the file descriptor of the lifeline; removed before the program's own code runs. */
const VARIABLE = "FRAMEWORK_TESTING_LIFELINE";

/**
 * Runs in the program before its own code. When the test run ends, even if it is killed, the operating system closes the other end of the pipe, and
 * the program exits. Its child processes do not inherit the variable.
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

/** A pipe that terminates a child process when this process ends. */
export interface Lifeline {
  /** Arguments for Node, before the program's file. */
  readonly execArgv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Creates a lifeline over a pipe, descriptor `fd` of the child. */
export const lifelineOn = (fd: number): Lifeline => ({
  execArgv: [`--import=data:text/javascript,${encodeURIComponent(preload)}`],
  env: { [VARIABLE]: String(fd) },
});
