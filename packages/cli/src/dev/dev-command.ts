import type { Command } from "../frame/command.ts";

export const devCommand: Command = {
  name: "dev",
  summary: "run the service in development and restart it after every change",
  description: [
    "The port stays open while the program restarts. Keys: r restarts immediately, q quits. SIGINT and SIGTERM stop the service gracefully. With --json the service prints to stderr.",
  ],
  arguments: [{ name: "program", summary: "module that runs the app, such as src/main.ts", isFile: true }],
  options: [
    { name: "port", kind: "number", summary: "port, 0 for any free one", max: 65_535 },
    { name: "host", kind: "text", summary: "address to listen on" },
  ],
  examples: ["dev", "dev src/main.ts --port 9000"],
  fails: "the service ends by itself or with an exit code other than 0, or no program is found",
  load: async () => (await import("./run-dev.ts")).runDev,
};
