import { App, dependency, Depends, type Token } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { z } from "zod";
import { type Job, type JobOptions, type JobRun, jobs } from "./index.ts";

const app = new (App.with(database, durable, jobs))();
const Mailer: Token<{ send(to: string): void }> = dependency("mailer");
const input = z.object({ to: z.string(), at: z.coerce.date().default(() => new Date(0)) });

const send = app.jobs.define("send", { input, inject: { mailer: Mailer } }, ({ to, at }, run, { mailer }) => {
  mailer.send(to);
  const year: number = at.getFullYear();
  // @ts-expect-error the input has the type that the schema returns
  const text: string = at;
  return [year, text, run.attempt];
});
const ping = app.jobs.define("ping", {}, (none) => {
  const nothing: undefined = none;
  return nothing;
});
app.jobs.define("default", { input }, async ({ to }, _run, mailer = Depends(Mailer)) => mailer.send(to));
app.jobs.define(
  "both",
  { input, inject: { mailer: Mailer } },
  ({ to }, _run, { mailer }, other = Depends(Mailer)) => {
    mailer.send(to);
    other.send(to);
  },
);
// @ts-expect-error nothing is injected
app.jobs.define("none", { input }, (_input, _run, { mailer }) => mailer);
export const withOptions = (options: JobOptions, handler: (input: undefined, run: JobRun) => string): Job =>
  app.jobs.define("given", options, handler);

await send.enqueue({ to: "ada" });
await send.enqueue({ to: "ada" }, { delayMs: 5, priority: 1, uniqueKey: "a" });
await ping.enqueue();
await ping.enqueue(undefined, { delayMs: 5 });
// @ts-expect-error the input is required
await send.enqueue();
// @ts-expect-error a member has another type
await send.enqueue({ to: 7 });
// @ts-expect-error the compiler rejects a misspelt option
await send.enqueue({ to: "ada" }, { delay: 5 });
// @ts-expect-error the job has no input
await ping.enqueue({ to: "ada" });

app.jobs
  .schedule("a", { cron: "@daily", job: ping })
  .schedule("b", { cron: "@daily", job: send, input: { to: "ada" } });
// @ts-expect-error the input has to fit the job
app.jobs.schedule("c", { cron: "@daily", job: send, input: { to: 7 } });
// @ts-expect-error there are two ways to treat missed runs
app.jobs.schedule("d", { cron: "@daily", job: ping, missed: "all" });

export const anyJobs: readonly Job[] = app.jobs.all();
// @ts-expect-error jobs need the kernel
void App.with(database, jobs);
