import { nearest } from "@framework/core/feature";
import type { Command, RunCommand } from "../frame/command.ts";
import { UsageError } from "../frame/usage-error.ts";
import { bashScript } from "./bash-script.ts";
import { fishScript } from "./fish-script.ts";
import { zshScript } from "./zsh-script.ts";

const scripts: Readonly<Record<string, (commands: readonly Command[]) => readonly string[]>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export const writeCompletion: RunCommand = async (given, { commands }) => {
  const shell = given.argument("shell") ?? "";
  const write = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (write === undefined) {
    const [near] = nearest(shell, Object.keys(scripts), 1);
    const hint = near === undefined ? "" : `; did you mean ${near}?`;
    throw new UsageError(
      `there is no completion for ${JSON.stringify(shell)}, only for bash, zsh and fish${hint}`,
    );
  }
  const lines = write(commands);
  return { ok: true, data: { shell, script: `${lines.join("\n")}\n` }, lines };
};
