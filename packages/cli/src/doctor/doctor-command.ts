import type { Command } from "../frame/command.ts";

export const doctorCommand: Command = {
  name: "doctor",
  summary: "look for mistakes in packages, settings and deployment files",
  description: [
    "The program runs with --check: up to its call of run, without starting anything. Without a program, only packages and files are checked.",
    "The command reads package.json, the installed packages, .env files, and the manifests of Kubernetes and Compose in this folder and in deploy, k8s, kubernetes and manifests.",
  ],
  arguments: [
    {
      name: "program",
      summary: "module that runs the app, such as src/main.ts; by default from the start script",
      isFile: true,
    },
  ],
  options: [
    {
      name: "env",
      kind: "text",
      choices: ["production", "development"],
      summary: "the environment to check for, production by default",
    },
    { name: "ignore", kind: "texts", value: "code", summary: "leave out findings with this code" },
    {
      name: "timeout",
      kind: "number",
      value: "seconds",
      summary: "seconds to wait for the program, 60 by default",
      min: 1,
      max: 3600,
    },
  ],
  examples: ["doctor", "doctor src/main.ts --json", "doctor --ignore CLI_NO_READINESS"],
  fails: "there is a finding",
  load: async () => (await import("./examine.ts")).examine,
};
