import { FrameworkError } from "@framework/core";
import { nearest } from "@framework/core/feature";
import { memberOf, withAppDatabase } from "../app/operated-app.ts";
import type { Outcome, RunCommand } from "../frame/command.ts";
import type { CommandInput } from "../frame/given.ts";
import { table } from "../frame/table.ts";
import { styled } from "../frame/text.ts";
import { UsageError } from "../frame/usage-error.ts";
import { fieldLines } from "./field-lines.ts";

/** A job of `app.jobs`: the members that this command uses. */
interface Job {
  readonly name: string;
  list(filter: object): Promise<{ readonly jobs: readonly JobItem[]; readonly next: string | null }>;
  get(id: string): Promise<JobItem | null>;
  retry(id: string): Promise<boolean>;
  cancel(id: string): Promise<boolean>;
  stats(): Promise<Readonly<Record<string, unknown>>>;
}

interface JobItem {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly runAt: number;
  readonly error: unknown;
}

export const operateJobs: RunCommand = async (given, { cwd }) =>
  withAppDatabase(given.text("app"), cwd, (app) => {
    const all = memberOf<{ all(): readonly Job[] }>(app, "jobs", "jobs", "app.jobs.define").all();
    const name = given.argument("job");
    return name === undefined ? overview(all) : act(find(all, name), given);
  });

const find = (all: readonly Job[], name: string): Job => {
  const found = all.find((job) => job.name === name);
  if (found !== undefined) return found;
  const names = all.map((job) => job.name);
  const [near] = nearest(name, names, 1);
  const hint = near === undefined ? `there are ${names.join(", ") || "none"}` : `did you mean ${near}?`;
  throw new FrameworkError("CLI_NO_ITEM", `the app defines no job ${JSON.stringify(name)}; ${hint}`);
};

const overview = async (all: readonly Job[]): Promise<Outcome> => {
  const jobs = await Promise.all(all.map(async (job) => ({ name: job.name, ...(await job.stats()) })));
  const numbers = [...new Set(jobs.flatMap((job) => Object.keys(job)))].filter((key) => key !== "name");
  const rows = jobs.map((job) => [
    styled("bold", job.name),
    ...numbers.map((key) => JSON.stringify((job as Readonly<Record<string, unknown>>)[key] ?? null)),
  ]);
  return { ok: true, data: { jobs }, lines: table(["JOB", ...numbers], rows) };
};

const act = async (job: Job, given: CommandInput): Promise<Outcome> => {
  const action = given.argument("action") ?? "list";
  if (action === "list") return list(job, given);
  const id = given.argument("id");
  if (id === undefined) throw new UsageError(`jobs ${job.name} ${action} needs an id`);
  if (action === "get") {
    const item = await job.get(id);
    if (item === null) throw new FrameworkError("CLI_NO_ITEM", `${job.name} has no item ${id}`);
    return { ok: true, data: item, lines: fieldLines(item) };
  }
  if (action !== "retry" && action !== "cancel")
    throw new UsageError(`jobs has no action ${JSON.stringify(action)}: list, get, retry or cancel`);
  const isDone = await job[action](id);
  const word = action === "retry" ? "waits again" : "was cancelled";
  return {
    ok: isDone,
    data: { id, action, isDone },
    lines: [
      isDone
        ? `${job.name} ${id} ${word}`
        : styled("red", `${job.name} ${id} does not exist, or its state forbids ${action}`),
    ],
  };
};

const list = async (job: Job, given: CommandInput): Promise<Outcome> => {
  const { jobs, next } = await job.list({ state: given.text("state"), limit: given.number("limit") });
  const rows = jobs.map(({ id, state, attempts, runAt, error }) => [
    styled("bold", id),
    state,
    String(attempts),
    new Date(runAt).toISOString(),
    error === null ? "" : JSON.stringify(error),
  ]);
  return {
    ok: true,
    data: { jobs, next },
    lines: [
      ...(jobs.length === 0 ? [] : table(["ID", "STATE", "ATTEMPTS", "DUE", "ERROR"], rows)),
      styled("dim", `${jobs.length} items${next === null ? "" : ", and more"}`),
    ],
  };
};
