import { stdin, stdout } from "node:process";
import { createInterface } from "node:readline/promises";
import { commandLine } from "./command-line.ts";

const ask = async (question: string): Promise<string> => {
  const terminal = createInterface({ input: stdin, output: stdout });
  const answer = await terminal.question(question);
  terminal.close();
  return answer;
};

process.exitCode = await commandLine(process.argv.slice(2), {
  ask: stdin.isTTY && stdout.isTTY ? ask : null,
});
