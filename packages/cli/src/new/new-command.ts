import type { Command } from "../frame/command.ts";

export const newCommand: Command = {
  name: "new",
  summary: "write a new service into a folder, as npm create @framework does",
  description: [
    "@framework/create writes the service: the version installed in the project, else the newest, which npm fetches.",
  ],
  arguments: [{ name: "name", summary: "folder and name of the service, my-service by default" }],
  options: [
    {
      name: "variant",
      kind: "text",
      choices: ["full", "minimal"],
      summary: "full: everything for production (default); minimal: two routes and their test",
    },
  ],
  examples: ["new notes", "new notes --variant minimal"],
  fails: "the folder has files already, or npm cannot fetch @framework/create",
  load: async () => (await import("./write-service.ts")).writeService,
};
