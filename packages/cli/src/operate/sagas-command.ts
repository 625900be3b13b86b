import type { Command } from "../frame/command.ts";

export const sagasCommand: Command = {
  name: "sagas",
  summary: "list sagas, show one with its timeline, or decide about a paused or stuck one",
  description: [
    "The app is created and not started; the running service does the retried work. Sagas on a workflow engine need a running app and are not supported.",
  ],
  arguments: [
    {
      name: "action",
      summary: "list, get, timeline, retry, skip, settle or cancel; list by default",
      choices: ["list", "get", "timeline", "retry", "skip", "settle", "cancel"],
    },
    { name: "id", summary: "id of an instance" },
  ],
  options: [
    { name: "app", kind: "text", value: "module", summary: "module of the app", isFile: true },
    { name: "name", kind: "text", summary: "only instances of this saga" },
    { name: "status", kind: "text", summary: "only instances with this status, such as paused" },
    { name: "key", kind: "text", summary: "only the instance with this key" },
    {
      name: "limit",
      kind: "number",
      value: "count",
      summary: "maximum number of instances, 100 by default",
      min: 1,
      max: 1000,
    },
    { name: "reason", kind: "text", summary: "reason for the timeline; required by decisions" },
    {
      name: "output",
      kind: "text",
      value: "json",
      summary: "output of the settled step, for a step with one branch",
    },
  ],
  examples: [
    "sagas --status paused",
    "sagas timeline 7",
    "sagas settle 7 --reason 'paid in cash' --output '{\"paid\":12}'",
    "sagas retry 7 --reason 'the payment service is back'",
  ],
  fails: "there is no such instance, or its status forbids the decision",
  load: async () => (await import("./operate-sagas.ts")).operateSagas,
};
