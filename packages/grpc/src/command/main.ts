import { runProtoCommand } from "./proto-command.ts";

process.exitCode = await runProtoCommand(process.argv.slice(2), {
  say: (line) => console.log(line),
  complain: (line) => console.error(line),
});
