import { commandLine } from "./command-line.ts";
import { watchEarlyEnd } from "./frame/early-end.ts";
import { printError } from "./frame/print.ts";
import { processTerminal, reserveStdout } from "./frame/terminal.ts";

const words = process.argv.slice(2);
process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
  stopWatching();
  if (code === "EPIPE") process.exit(0); // a reader that closes early, as in `framework routes | head`, is not a failure
  process.stderr.write(`error: the result cannot be written: ${message}\n`, () => process.exit(1));
});
const write = reserveStdout();
const stopWatching = watchEarlyEnd((error) => printError(error, words.includes("--json"), processTerminal()));
// No top-level await: if a command never ends, Node would print a warning and set its own exit code.
void commandLine(words).then((exitCode) => {
  stopWatching();
  // Timers and sockets of the app may keep the process alive, so it exits once the output is written.
  write("", (error) => {
    if (error == null) process.stderr.write("", () => process.exit(exitCode)); // after an error, the listener above ends the process
  });
});
