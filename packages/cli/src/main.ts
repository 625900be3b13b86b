import { commandLine } from "./command-line.ts";
import { reserveStdout } from "./frame/terminal.ts";

process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
  if (code === "EPIPE") process.exit(0); // a reader that ends early, as in `framework routes | head`, is no failure
  process.stderr.write(`error: the result cannot be written: ${message}\n`, () => process.exit(1));
});
const write = reserveStdout();
const exitCode = await commandLine(process.argv.slice(2));
// An app may leave timers and sockets that keep the process alive; the output is written first.
write("", (error) => {
  if (error == null) process.stderr.write("", () => process.exit(exitCode)); // otherwise the listener above ends the process
});
