import type { Command } from "../frame/command.ts";

export const topologyCommand: Command = {
  name: "topology",
  summary: "create the topics and queues that an app lacks on its brokers",
  description: [
    "The app is created and not started; its brokers are asked on connections of their own. Nothing that exists is changed. The app's database as a broker needs `framework migrate` only.",
  ],
  arguments: [],
  options: [
    { name: "app", kind: "text", value: "module", summary: "module of the app", isFile: true },
    { name: "check", kind: "flag", summary: "only compare, create nothing" },
  ],
  examples: ["topology", "topology --check"],
  fails: "a broker cannot be asked, or something is missing or different",
  load: async () => (await import("./declare-topology.ts")).declareTopology,
};
