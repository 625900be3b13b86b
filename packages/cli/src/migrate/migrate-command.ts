import type { Command } from "../frame/command.ts";

export const migrateCommand: Command = {
  name: "migrate",
  summary: "migrate an app's database: run its migration files, then migrate the tables of durable work",
  description: [
    "The app is created and not started. Files of the folder run in one transaction; the tables of jobs, sagas and other durable work follow, unless --to is given.",
  ],
  arguments: [
    { name: "directory", summary: "folder of the numbered files, migrations by default", isFile: true },
  ],
  options: [
    { name: "app", kind: "text", value: "module", summary: "module of the app", isFile: true },
    {
      name: "to",
      kind: "number",
      value: "number",
      summary: "target: migrations above it are reverted; 0 reverts all",
    },
    { name: "dry-run", kind: "flag", summary: "print the steps, change nothing" },
    {
      name: "timeout",
      kind: "number",
      value: "seconds",
      summary: "seconds to wait for the lock and run all steps, 3600 by default",
      min: 1,
      max: 86_400,
    },
  ],
  examples: ["migrate", "migrate db/migrations --dry-run", "migrate --to 3"],
  fails: "a migration fails, or the database cannot be reached; if a file fails, none is applied",
  load: async () => (await import("./migrate-app.ts")).migrateApp,
};
