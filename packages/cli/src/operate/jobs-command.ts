import type { Command } from "../frame/command.ts";

export const jobsCommand: Command = {
  name: "jobs",
  summary: "list jobs with their statistics, or the items of a job; retry or cancel an item",
  description: ["The app is created and not started; the running service runs the retried jobs."],
  arguments: [
    { name: "job", summary: "name of a job; without it, all jobs are listed with their statistics" },
    {
      name: "action",
      summary: "list, get, retry or cancel; list by default",
      choices: ["list", "get", "retry", "cancel"],
    },
    { name: "id", summary: "id of one item" },
  ],
  options: [
    { name: "app", kind: "text", value: "module", summary: "module of the app", isFile: true },
    { name: "state", kind: "text", summary: "only items in this state, such as failed" },
    {
      name: "limit",
      kind: "number",
      value: "count",
      summary: "maximum number of items, 100 by default",
      min: 1,
      max: 1000,
    },
  ],
  examples: ["jobs", "jobs send-mail --state failed", "jobs send-mail retry 7"],
  fails: "the job or the item does not exist, or its state forbids the action",
  load: async () => (await import("./operate-jobs.ts")).operateJobs,
};
