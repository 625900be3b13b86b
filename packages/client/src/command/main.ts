import { runClientCommand } from "./client-command.ts";

process.exitCode = await runClientCommand(process.argv.slice(2), {
  say: (line) => console.log(line),
  complain: (line) => console.error(line),
});
