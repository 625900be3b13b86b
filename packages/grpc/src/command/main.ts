import { runProtoCommand } from "./proto-command.ts";

process.exitCode = await runProtoCommand(process.argv.slice(2), {
  out: (line) => console.log(line),
  err: (line) => console.error(line),
});
