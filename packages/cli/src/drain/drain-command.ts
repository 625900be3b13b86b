import type { Command } from "../frame/command.ts";

export const drainCommand: Command = {
  name: "drain",
  summary: "rehearse a shutdown: SIGTERM under load, dropped requests and slow stop tasks",
  description: [
    "The program starts on a free loopback port, in production. While requests arrive at a fixed rate, its process gets SIGTERM, as from an orchestrator.",
    "A request is dropped if its connection breaks without a reply. Connections refused after the port has closed do not count: a load balancer sends them elsewhere.",
  ],
  arguments: [{ name: "path", summary: "path to request, / by default" }],
  options: [
    { name: "program", kind: "text", value: "module", summary: "module that runs the app", isFile: true },
    {
      name: "rate",
      kind: "number",
      value: "rate",
      summary: "requests/s, 100 by default",
      min: 1,
      max: 20_000,
    },
    {
      name: "after",
      kind: "number",
      value: "seconds",
      summary: "seconds of load before SIGTERM, 2 by default",
      min: 0.1,
      max: 600,
    },
    {
      name: "workers",
      kind: "number",
      value: "count",
      summary: "worker processes, 1 by default",
      min: 1,
      max: 64,
    },
    {
      name: "slow",
      kind: "number",
      value: "ms",
      summary: "a stop task that takes longer is slow, 500 ms by default",
      min: 1,
      max: 600_000,
    },
    { name: "header", short: "H", kind: "texts", value: "name: value", summary: "a header field" },
    {
      name: "timeout",
      kind: "number",
      value: "seconds",
      summary: "seconds until the program listens, and until it must have ended, 60 by default",
      min: 1,
      max: 3600,
    },
  ],
  examples: ["drain /books", "drain /books --rate 500 --workers 4 --json"],
  fails: "a request is dropped, or the program does not end with exit code 0 in time",
  load: async () => (await import("./rehearse.ts")).rehearse,
};
