import type { Command } from "../frame/command.ts";

export const doctorCommand: Command = {
  name: "doctor",
  summary: "look for mistakes in packages, settings and deployment files",
  description: [
    "The program is asked with --check: it runs up to its call of run, and starts nothing. Without a program, packages and files are checked.",
    "Read are package.json, the installed packages, .env files, and the manifests of Kubernetes and Compose in this folder and in deploy, k8s, kubernetes and manifests.",
  ],
  arguments: [
    {
      name: "program",
      summary: "module that runs the app, as src/main.ts; from the start script if left out",
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
    { name: "ignore", kind: "texts", value: "code", summary: "leave findings with this code out" },
    {
      name: "timeout",
      kind: "number",
      value: "seconds",
      summary: "seconds that the program has, 60 by default",
      min: 1,
      max: 3600,
    },
  ],
  examples: ["doctor", "doctor src/main.ts --json", "doctor --ignore CLI_NO_READINESS"],
  fails: "there is a finding",
  load: async () => (await import("./examine.ts")).examine,
};
