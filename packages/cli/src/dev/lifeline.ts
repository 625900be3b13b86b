// Runs in the service, before its program: ends it in order when the command is gone, even by SIGKILL. The system closes the pipe however that ends.
import { Socket } from "node:net";

/** Names the descriptor of the pipe. What the service starts does not inherit it. */
const VARIABLE = "FRAMEWORK_CLI_LIFELINE";

const { [VARIABLE]: descriptor } = process.env;
if (descriptor !== undefined) {
  delete process.env[VARIABLE];
  const pipe = new Socket({ fd: Number(descriptor) });
  pipe.on("error", () => {}).on("close", () => process.kill(process.pid, "SIGTERM"));
  pipe.resume().unref();
}
