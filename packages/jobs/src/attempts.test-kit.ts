// Attempts of jobs, and how they end, on every database.
import { dependency, Depends } from "@framework/core";
import type { TestDatabase } from "@framework/database/testing";
import { NonRetryableError } from "@framework/durable/feature";
import { waitFor } from "@framework/testing";
import { expect, type test as jestTest } from "@jest/globals";
import { z } from "zod";
import { waitForState, type JobApp, jobApp, withStarted } from "./testing/job-app.test-kit.ts";

const withoutDelay = { retry: { attempts: 3, delayMs: 0 } };

export const attemptFacts = (
  test: typeof jestTest,
  make: () => TestDatabase | Promise<TestDatabase>,
): void => {
  const fact = (name: string, run: (app: JobApp, storage: TestDatabase) => Promise<void>): void =>
    test(
      name,
      async () => {
        await using storage = await make();
        await run(jobApp(storage), storage);
      },
      180_000,
    );

  fact(
    "a cancelled job does not start, and a running one is notified and its result discarded",
    async (app) => {
      const handlerStarted = Promise.withResolvers<AbortSignal>();
      const gate = Promise.withResolvers<void>();
      const long = app.jobs.define("long", { input: z.string() }, async (text, { signal }) => {
        handlerStarted.resolve(signal);
        await gate.promise;
        return text;
      });
      await withStarted(app, async () => {
        const later = await long.enqueue("later", { delayMs: 60_000 });
        expect([await long.cancel(later.id), await long.cancel(later.id)]).toEqual([true, false]);
        expect((await long.get(later.id))?.state).toBe("cancelled");
        const reminder = await long.enqueue("reminder", { delayMs: 60_000, uniqueKey: "loan 7" });
        await app.db.transaction(async (tx) => {
          expect(await long.cancel({ uniqueKey: "loan 7" }, { tx })).toBe(true);
        });
        expect((await long.get(reminder.id))?.state).toBe("cancelled");
        const { id } = await long.enqueue("now");
        const signal = await handlerStarted.promise;
        expect(await long.cancel(id)).toBe(true);
        await waitFor(() => signal.aborted, { subject: "the signal to abort", timeoutMs: 60_000 });
        gate.resolve();
        const next = await long.enqueue("next");
        await waitForState(long, next.id, "done");
        expect(await long.get(id)).toMatchObject({ state: "cancelled", result: null });
      });
    },
  );

  fact("an attempt that takes too long fails, even if its handler returns later", async (app) => {
    const gate = Promise.withResolvers<string>();
    const slow = app.jobs.define("slow", { timeoutMs: 50, retry: { attempts: 1 } }, () => gate.promise);
    await withStarted(app, async () => {
      const { id } = await slow.enqueue();
      const failed = await waitForState(slow, id, "failed");
      expect(failed.error).toMatchObject({ code: "DURABLE_TIMEOUT" });
      gate.resolve("too late");
      const next = await slow.enqueue();
      await waitForState(slow, next.id, "done");
      expect(await slow.get(id)).toMatchObject({ state: "failed", result: null });
    });
  });

  fact(
    "a job that failed at every attempt is listed with its error, and runs again on request",
    async (app) => {
      let isBroken = true;
      const call = app.jobs.define("call", { ...withoutDelay, input: z.number() }, (n) => {
        if (isBroken) throw new Error(`call ${n} failed`);
        return n;
      });
      await withStarted(app, async () => {
        const added = await call.enqueueAll([{ input: 1 }, { input: 2 }]);
        for (const { id } of added) await waitForState(call, id, "failed");
        const { jobs: failed } = await call.list({ state: "failed" });
        expect(failed.map(({ input, attempts, error }) => [input, attempts, error?.message])).toEqual([
          [1, 3, "call 1 failed"],
          [2, 3, "call 2 failed"],
        ]);
        isBroken = false;
        expect(await Promise.all(failed.map(({ id }) => call.retry(id)))).toEqual([true, true]);
        for (const { id } of failed) expect((await waitForState(call, id, "done")).attempts).toBe(1);
        expect(await call.retry(failed[0]?.id ?? "")).toBe(false);
      });
    },
  );

  fact(
    "a `NonRetryableError`, or an error for which isRetryable returns false, ends the attempts",
    async (app) => {
      const isRetryable = (error: unknown) => !(error instanceof TypeError);
      const pay = app.jobs.define("pay", { ...withoutDelay, input: z.boolean(), isRetryable }, (isType) => {
        throw isType ? new TypeError("no") : new NonRetryableError("card refused", { code: "CARD_REFUSED" });
      });
      await withStarted(app, async () => {
        const added = await pay.enqueueAll([{ input: true }, { input: false }]);
        const failed = await Promise.all(added.map(({ id }) => waitForState(pay, id, "failed")));
        expect(failed.map(({ attempts, error }) => [attempts, error?.name, error?.code])).toEqual([
          [1, "TypeError", null],
          [1, "NonRetryableError", "CARD_REFUSED"],
        ]);
      });
    },
  );

  fact("progress is visible while a job runs", async (app) => {
    const gate = Promise.withResolvers<void>();
    const copy = app.jobs.define("copy", {}, async (_, run) => {
      run.progress({ done: 1, of: 2 });
      await gate.promise;
    });
    await withStarted(app, async () => {
      const { id } = await copy.enqueue();
      await waitFor(async () => (await copy.get(id))?.progress, { subject: "progress", timeoutMs: 60_000 });
      expect(await copy.get(id)).toMatchObject({ state: "running", progress: { done: 1, of: 2 } });
      gate.resolve();
      await waitForState(copy, id, "done");
    });
  });

  fact(
    "each attempt has its own scope, and a handler receives the dependencies that it injects",
    async (app) => {
      const disposed: number[] = [];
      let created = 0;
      const Session = dependency<number>("session", {
        scope: "invocation",
        create: () => ++created,
        dispose: (session) => void disposed.push(session),
      });
      const use = app.jobs.define(
        "use",
        { ...withoutDelay, inject: { session: Session } },
        (_, { invocation }, { session }) => {
          if (session === 1) throw new Error("again");
          return [session, invocation.kind];
        },
      );
      await withStarted(app, async () => {
        const { id } = await use.enqueue();
        expect((await waitForState(use, id, "done")).result).toEqual([2, "job"]);
        expect(disposed).toEqual([1, 2]);
      });
    },
  );

  fact("Depends works in the default value of a handler's parameter", async (app) => {
    const Greeting = dependency("greeting", { create: () => "hello" });
    const greet = app.jobs.define(
      "greet",
      { ...withoutDelay, input: z.string() },
      async (name, _run, greeting = Depends(Greeting)) => await Promise.resolve([greeting, name]),
    );
    await withStarted(app, async () => {
      const { id } = await greet.enqueue("ada");
      expect((await waitForState(greet, id, "done")).result).toEqual(["hello", "ada"]);
    });
  });

  fact(
    "an invalid input is rejected, and a job whose stored input no longer matches the schema fails at its first attempt",
    async (app, storage) => {
      const before = app.jobs.define("grow", { input: z.object({ old: z.string() }) }, () => {});
      const dated = app.jobs.define("dated", { input: z.object({ at: z.date() }) }, () => {});
      let id = "";
      await withStarted(app, async () => {
        const bad = { old: 7 } as unknown as { old: string };
        await expect(before.enqueue(bad)).rejects.toMatchObject({ code: "JOBS_BAD_INPUT" });
        await expect(before.enqueue(bad)).rejects.toThrow('the input of "grow" is invalid: input.old');
        await expect(dated.enqueue({ at: new Date() })).rejects.toThrow("input.at"); // JSON has no dates
        const cyclic: Record<string, unknown> = { old: "" };
        cyclic["self"] = cyclic;
        await expect(before.enqueue(cyclic as { old: string })).rejects.toMatchObject({
          code: "JOBS_BAD_INPUT",
        });
        id = (await before.enqueue({ old: "x" }, { delayMs: 100 })).id;
      });
      const newer = jobApp(storage);
      const after = newer.jobs.define("grow", { input: z.object({ new: z.string() }) }, () => {});
      await withStarted(newer, async () => {
        expect(await waitForState(after, id, "failed")).toMatchObject({
          attempts: 1,
          error: { code: "JOBS_BAD_INPUT" },
        });
      });
    },
  );

  fact(
    "a job whose stored input an asynchronous schema rejects fails at its first attempt",
    async (newer, storage) => {
      const older = jobApp(storage, { runWork: false });
      const before = older.jobs.define("strict", { ...withoutDelay, input: z.string() }, () => {});
      let id = "";
      await withStarted(older, async () => void ({ id } = await before.enqueue("x")));
      const isLonger = async (text: string): Promise<boolean> => text.length > 1;
      const after = newer.jobs.define(
        "strict",
        { ...withoutDelay, input: z.string().refine(isLonger) },
        () => {},
      );
      await withStarted(newer, async () => {
        expect(await waitForState(after, id, "failed")).toMatchObject({
          attempts: 1,
          error: { code: "JOBS_BAD_INPUT" },
        });
      });
    },
  );
};
