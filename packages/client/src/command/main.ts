import { runClientCommand } from "./client-command.ts";

process.exitCode = await runClientCommand(process.argv.slice(2), {
  out: (line) => console.log(line),
  err: (line) => console.error(line),
});
