import type { Command } from "../frame/command.ts";

export const completionCommand: Command = {
  name: "completion",
  summary: "print the completion script of a shell",
  description: [
    "bash: framework completion bash > ~/.local/share/bash-completion/completions/framework",
    'zsh:  framework completion zsh > "${fpath[1]}/_framework"',
    "fish: framework completion fish > ~/.config/fish/completions/framework.fish",
  ],
  arguments: [
    { name: "shell", summary: "bash, zsh or fish", required: true, choices: ["bash", "zsh", "fish"] },
  ],
  options: [],
  examples: ["completion bash"],
  fails: "the command fails",
  load: async () => (await import("./write-completion.ts")).writeCompletion,
};
