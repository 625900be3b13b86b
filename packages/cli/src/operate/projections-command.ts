import type { Command } from "../frame/command.ts";

export const projectionsCommand: Command = {
  name: "projections",
  summary: "list the versions of projections, make a rebuilt one live, or resume, cancel or rebuild one",
  description: [
    "The app is created and not started; views are built by the processes that serve. Give it their settings: only versions that the app has can be made live.",
  ],
  arguments: [
    {
      name: "action",
      summary: "list, go-live, resume, cancel or rebuild; list by default",
      choices: ["list", "go-live", "resume", "cancel", "rebuild"],
    },
    { name: "projection", summary: "name of a projection" },
    { name: "version", summary: "number of one version; without it, as the call of the API chooses" },
  ],
  options: [{ name: "app", kind: "text", value: "module", summary: "module of the app", isFile: true }],
  examples: ["projections", "projections go-live shelf", "projections cancel shelf 3"],
  fails: "the projection is in no state for the action, such as one that is not as far as the live version",
  load: async () => (await import("./operate-projections.ts")).operateProjections,
};
