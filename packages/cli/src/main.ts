import { commandLine } from "./command-line.ts";
import { reserveStdout } from "./frame/terminal.ts";

// A reader that ends early, as in `framework routes | head`, is no failure.
process.stdout.on("error", () => process.exit(0));
const write = reserveStdout();
const exitCode = await commandLine(process.argv.slice(2));
// An app may leave timers and sockets that keep the process alive; the output is written first.
write("", () => process.stderr.write("", () => process.exit(exitCode)));
