import type { Command } from "../frame/command.ts";

export const parkedCommand: Command = {
  name: "parked",
  summary: "list, inspect, replay or discard work that failed permanently",
  description: [
    "Messages, events of projections and work of queues; the command jobs lists failed jobs.",
    "The app is created and not started; the running service does the replayed work.",
  ],
  arguments: [
    {
      name: "action",
      summary: "list, inspect, replay or discard; list by default",
      choices: ["list", "inspect", "replay", "discard"],
    },
    {
      name: "id",
      summary: "id of one item; without it, replay applies to all items that the options select",
    },
  ],
  options: [
    { name: "app", kind: "text", value: "module", summary: "module of the app", isFile: true },
    {
      name: "source",
      kind: "text",
      summary: "only items of this source: message, work or projection",
    },
    {
      name: "name",
      kind: "text",
      summary: "only items of this queue, subscription (topic and group) or projection (name and version)",
    },
    {
      name: "state",
      kind: "text",
      choices: ["parked", "replaying", "replayed", "discarded"],
      summary: "state of the listed items, parked by default",
    },
    {
      name: "limit",
      kind: "number",
      value: "count",
      summary: "maximum number of items; by default, list shows 100 and replay has no limit",
      min: 1,
      max: 1000,
    },
    {
      name: "per-second",
      kind: "number",
      value: "count",
      summary: "maximum number of items replayed per second, 100 by default",
      min: 1,
      max: 10_000,
    },
    { name: "note", kind: "text", summary: "why an item is discarded" },
  ],
  examples: [
    "parked",
    "parked inspect 7",
    "parked replay --source message --name 'orders billing'",
    "parked discard 7 --note 'the customer is gone'",
  ],
  fails: "an item does not exist, or one could not be replayed",
  load: async () => (await import("./operate-parked.ts")).operateParked,
};
