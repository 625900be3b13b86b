import { stdin, stdout } from "node:process";
import { createPrompt } from "./ask.ts";
import { commandLine } from "./command-line.ts";

process.exitCode = await commandLine(process.argv.slice(2), {
  ask: stdin.isTTY && stdout.isTTY ? createPrompt(stdin, stdout) : null,
});
