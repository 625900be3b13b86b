import type { Command } from "../frame/command.ts";

export const topologyCommand: Command = {
  name: "topology",
  summary: "create an app's missing topics and queues on its brokers",
  description: [
    "The app is created and not started; the command opens its own connections to the brokers. Nothing that exists is changed. An app that uses its database as a broker only needs `framework migrate`.",
  ],
  arguments: [],
  options: [
    { name: "app", kind: "text", value: "module", summary: "module of the app", isFile: true },
    { name: "check", kind: "flag", summary: "only compare, create nothing" },
  ],
  examples: ["topology", "topology --check"],
  fails: "a broker cannot be reached, or something is missing or different",
  load: async () => (await import("./declare-topology.ts")).declareTopology,
};
