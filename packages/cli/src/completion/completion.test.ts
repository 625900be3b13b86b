import { execFileSync } from "node:child_process";
import { expect, test } from "@jest/globals";
import { commands } from "../commands.ts";
import { commonOptions } from "../frame/command.ts";
import { runCli } from "../run-cli.test-kit.ts";

const scriptOf = async (shell: string): Promise<string> => (await runCli(["completion", shell])).out;

/** Returns bash's completions of the last word. */
const completionsOf = async (...words: readonly string[]): Promise<readonly string[]> => {
  const program = `${await scriptOf("bash")}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _framework; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", program, "bash", "framework", ...words], { encoding: "utf8" })
    .trim()
    .split("\n");
};

test("bash completes commands, options of each command, and choices", async () => {
  expect(await completionsOf("")).toEqual([...commands.map(({ name }) => name), "--help", "--version"]);
  expect(await completionsOf("rou")).toEqual(["routes"]);
  expect(await completionsOf("completion", "f")).toEqual(["fish"]);
  expect(await completionsOf("request", "P")).toEqual(["POST", "PUT", "PATCH"]);
  expect(await completionsOf("jobs", "")).toEqual([""]); // the name of a job
  expect(await completionsOf("jobs", "send-mail", "")).toEqual(["list", "get", "retry", "cancel"]);
  for (const { name, options } of commands)
    expect(await completionsOf(name, "--")).toEqual(
      [...options, ...commonOptions].map((each) => `--${each.name}`),
    );
});

test("fish completes the choices of an argument only at its position", async () => {
  const lines = (await scriptOf("fish")).split("\n");
  const words = (name: string) =>
    `-n '__fish_seen_subcommand_from ${name}; and test (count (commandline -opc)) -eq`;
  expect(lines).toContain(`complete -c framework ${words("jobs")} 3' -a 'list get retry cancel'`);
  expect(lines).toContain(`complete -c framework ${words("completion")} 2' -a 'bash zsh fish'`);
});

test.each(["zsh", "fish"])("the %s script has every command with its options", async (shell) => {
  const script = await scriptOf(shell);
  for (const { name, options } of commands) {
    const part =
      shell === "zsh"
        ? script.slice(script.indexOf(`    ${name})`), script.indexOf(";;", script.indexOf(`    ${name})`)))
        : script
            .split("\n")
            .filter((line) => line.includes(`__fish_seen_subcommand_from ${name}'`))
            .join("\n");
    for (const { name: option } of [...options, ...commonOptions])
      expect(part).toContain(shell === "zsh" ? `--${option}[` : `-l ${option}`);
  }
});
