import type { Command } from "../frame/command.ts";

export const routesCommand: Command = {
  name: "routes",
  summary: "list the routes of an app, with guards, tags and the feature that added them",
  description: ["The app is created and not started: no port opens, no startup handler runs."],
  arguments: [
    { name: "app", summary: "module of the app: src/app.ts, or src/app.ts#createApp", isFile: true },
  ],
  options: [
    { name: "path", kind: "text", summary: "only routes whose path contains this text" },
    { name: "method", kind: "text", summary: "only routes with this method" },
  ],
  examples: ["routes", "routes src/app.ts --method POST", "routes src/app.ts#createApp --json"],
  fails: "the app cannot be created",
  load: async () => (await import("./list-routes.ts")).listRoutes,
};
