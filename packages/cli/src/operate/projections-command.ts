import type { Command } from "../frame/command.ts";

export const projectionsCommand: Command = {
  name: "projections",
  summary: "list the versions of projections, make a rebuilt one live, or resume, cancel or rebuild one",
  description: [
    "The app is created and not started; the running service builds the views. Use its settings: only versions that the app has can be made live.",
  ],
  arguments: [
    {
      name: "action",
      summary: "list, go-live, resume, cancel or rebuild; list by default",
      choices: ["list", "go-live", "resume", "cancel", "rebuild"],
    },
    { name: "projection", summary: "name of a projection" },
    {
      name: "version",
      summary:
        "version number; by default, resume applies to all versions, and the other actions to the highest",
    },
  ],
  options: [{ name: "app", kind: "text", value: "module", summary: "module of the app", isFile: true }],
  examples: ["projections", "projections go-live shelf", "projections cancel shelf 3"],
  fails:
    "the projection's state forbids the action, such as one that has not caught up with the live version",
  load: async () => (await import("./operate-projections.ts")).operateProjections,
};
