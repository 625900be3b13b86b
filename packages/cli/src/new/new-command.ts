import type { Command } from "../frame/command.ts";

export const newCommand: Command = {
  name: "new",
  summary: "write a new service into a folder, as npm create @framework does",
  description: [
    "The service is written by @framework/create: the one that the project has installed, else the newest, which npm fetches.",
  ],
  arguments: [{ name: "name", summary: "folder and name of the service, my-service if left out" }],
  options: [
    {
      name: "variant",
      kind: "text",
      choices: ["full", "minimal"],
      summary: "everything for production, or the least that runs and is tested; full by default",
    },
  ],
  examples: ["new notes", "new notes --variant minimal"],
  fails: "the folder has files already, or npm cannot fetch @framework/create",
  load: async () => (await import("./write-service.ts")).writeService,
};
