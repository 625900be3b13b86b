import { commandLine } from "./command-line.ts";
import { watchEarlyEnd } from "./frame/early-end.ts";
import { printMistake } from "./frame/print.ts";
import { processTerminal, reserveStdout } from "./frame/terminal.ts";

const words = process.argv.slice(2);
process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
  stopWatch();
  if (code === "EPIPE") process.exit(0); // a reader that ends early, as in `framework routes | head`, is no failure
  process.stderr.write(`error: the result cannot be written: ${message}\n`, () => process.exit(1));
});
const write = reserveStdout();
const stopWatch = watchEarlyEnd((error) => printMistake(error, words.includes("--json"), processTerminal()));
// Without await: a command that never ends would otherwise be a warning of Node with its own exit code.
void commandLine(words).then((exitCode) => {
  stopWatch();
  // An app may leave timers and sockets that keep the process alive; the output is written first.
  write("", (error) => {
    if (error == null) process.stderr.write("", () => process.exit(exitCode)); // otherwise the listener above ends the process
  });
});
