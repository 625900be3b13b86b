// Runs in the service before its program: stops it gracefully when the command has ended, even by SIGKILL, because the system then closes the pipe.
import { Socket } from "node:net";

/** Variable with the descriptor of the pipe. Child processes of the service do not inherit it. */
const VARIABLE = "FRAMEWORK_CLI_LIFELINE";

const { [VARIABLE]: descriptor } = process.env;
if (descriptor !== undefined) {
  delete process.env[VARIABLE];
  const pipe = new Socket({ fd: Number(descriptor) });
  pipe.on("error", () => {}).on("close", () => process.kill(process.pid, "SIGTERM"));
  pipe.resume().unref();
}
