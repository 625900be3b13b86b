// Behaviour of jobs, on every database.
import type { TestDatabase } from "@framework/database/testing";
import { waitFor } from "@framework/testing";
import { expect, type test as jestTest } from "@jest/globals";
import { z } from "zod";
import { waitForState, type JobApp, jobApp, withStarted } from "./testing/job-app.test-kit.ts";

const mail = z.object({ to: z.string(), at: z.coerce.date().optional() });
const withoutDelay = { retry: { attempts: 3, delayMs: 0 } };

export const jobFacts = (test: typeof jestTest, make: () => TestDatabase | Promise<TestDatabase>): void => {
  const fact = (name: string, run: (app: JobApp, storage: TestDatabase) => Promise<void>): void =>
    test(
      name,
      async () => {
        await using storage = await make();
        await run(jobApp(storage), storage);
      },
      180_000,
    );

  fact("a job runs with the schema's output as its input, and its result can be read", async (app) => {
    const send = app.jobs.define("send-mail", { input: mail }, ({ to, at }, { attempt, name }) => ({
      said: `${name} ${attempt}: ${to} in ${at?.getUTCFullYear()}`,
    }));
    await withStarted(app, async () => {
      const { id, isNew } = await send.enqueue({ to: "ada", at: "2030-01-01" });
      const info = await waitForState(send, id, "done");
      expect([isNew, info.result, info.input, info.attempts]).toEqual([
        true,
        { said: "send-mail 1: ada in 2030" },
        { to: "ada", at: "2030-01-01" },
        1,
      ]);
    });
  });

  fact("a job without an input and one whose input is null are distinct", async (app) => {
    const none = app.jobs.define("none", {}, (input) => [typeof input]);
    const empty = app.jobs.define("empty", { input: z.null() }, (input) => [input]);
    await withStarted(app, async () => {
      const [one, two] = [await none.enqueue(), await empty.enqueue(null)];
      expect((await waitForState(none, one.id, "done")).result).toEqual(["undefined"]);
      expect((await waitForState(empty, two.id, "done")).result).toEqual([null]);
    });
  });

  fact("a job is not attributed to a schedule because of a header that its caller has set", async (app) => {
    const tell = app.jobs.define("tell", {}, (_, { schedule, scheduledAt }) => [schedule, scheduledAt]);
    await withStarted(app, async () => {
      for (const headers of [{ schedule: "nightly" }, { "scheduled-at": "5" }] as const) {
        const { id } = await tell.enqueue(undefined, { headers });
        expect((await waitForState(tell, id, "done")).result).toEqual([null, null]);
      }
    });
  });

  fact(
    "a job that is enqueued in a transaction runs after its commit, and never after a rollback",
    async (app) => {
      const ran: string[] = [];
      const note = app.jobs.define("note", { input: z.string() }, (text) => void ran.push(text));
      await withStarted(app, async () => {
        const rolledBack = app.db.transaction(async (tx) => {
          await note.enqueue("rolled back", { tx });
          throw new Error("no");
        });
        await expect(rolledBack).rejects.toThrow("no");
        const { id } = await app.db.transaction(async (tx) => {
          const added = await note.enqueue("committed", { tx });
          expect(await note.get(added.id)).toBe(null); // other transactions do not see it yet
          expect(ran).toEqual([]);
          return added;
        });
        await waitForState(note, id, "done");
        expect([ran, (await note.list()).jobs.length]).toEqual([["committed"], 1]);
      });
    },
  );

  fact("a handler's transaction also completes its job", async (app) => {
    const write = app.jobs.define("write", withoutDelay, async (_, run) => {
      await app.db.transaction(async (tx) => {
        await tx.execute`INSERT INTO notes (attempt) VALUES (${run.attempt})`;
        await run.complete(tx, { attempt: run.attempt });
        if (run.attempt === 1) throw new Error("rolled back");
      });
    });
    app.onEvent("startup", async () => void (await app.db.execute("CREATE TABLE notes (attempt INTEGER)")));
    await withStarted(app, async () => {
      const { id } = await write.enqueue();
      expect((await waitForState(write, id, "done")).result).toEqual({ attempt: 2 });
      expect(await app.db.query("SELECT attempt FROM notes")).toEqual([{ attempt: 2 }]);
    });
  });

  fact("a delayed job starts when it is due, not before", async (app) => {
    const now = async () => Number(await app.db.fetchValue`SELECT ${app.durable.kernel.now}`);
    const tell = app.jobs.define("tell", {}, now);
    await withStarted(app, async () => {
      const due = (await now()) + 300;
      const [delayedJob, dated] = [
        await tell.enqueue(undefined, { delayMs: 300 }),
        await tell.enqueue(undefined, { runAt: due }),
      ];
      const { id: farOff } = await tell.enqueue(undefined, { delayMs: 3_600_000 });
      const delayed = await waitForState(tell, delayedJob.id, "done");
      expect(delayed.result).toBeGreaterThanOrEqual(delayed.createdAt + 300);
      expect((await waitForState(tell, dated.id, "done")).result).toBeGreaterThanOrEqual(due);
      expect((await tell.get(farOff))?.state).toBe("waiting");
    });
  });

  fact(
    "jobs of a higher priority run first, and jobs of the same priority in the order in which they were added",
    async (app) => {
      const ran: string[] = [];
      const note = app.jobs.define(
        "note",
        { input: z.string(), concurrency: 1 },
        (text) => void ran.push(text),
      );
      await withStarted(app, async () => {
        const added = await note.enqueueAll([
          { input: "c", priority: -5 },
          { input: "b1" },
          { input: "a", priority: 9 },
          { input: "b2" },
        ]);
        await Promise.all(added.map(({ id }) => waitForState(note, id, "done")));
        expect(ran).toEqual(["a", "b1", "b2", "c"]);
      });
    },
  );

  fact("a unique key belongs to one unfinished job", async (app) => {
    const gate = Promise.withResolvers<void>();
    const build = app.jobs.define(
      "build",
      { input: z.string(), uniqueKey: (branch) => branch },
      () => gate.promise,
    );
    await withStarted(app, async () => {
      const first = await build.enqueue("main");
      expect(await build.enqueue("main")).toEqual({ id: first.id, isNew: false });
      expect(await build.enqueue("main", { uniqueKey: "again" })).toMatchObject({ isNew: true });
      gate.resolve();
      await waitForState(build, first.id, "done");
      expect((await build.enqueue("main")).isNew).toBe(true);
    });
  });

  fact(
    "jobs of one key run one at a time in their order, concurrently with jobs of other keys",
    async (app) => {
      const events: string[] = [];
      const gate = Promise.withResolvers<void>();
      const options = {
        input: z.object({ to: z.string(), n: z.number() }),
        key: ({ to }: { to: string }) => to,
      };
      const send = app.jobs.define("send", options, async ({ to, n }) => {
        events.push(`${to}${n} begins`);
        if (to === "a" && n === 1) await gate.promise;
        events.push(`${to}${n} ends`);
      });
      await withStarted(app, async () => {
        const inputs = [1, 2, 3].map((n) => ({ input: { to: "a", n } }));
        const added = await send.enqueueAll(inputs);
        const other = await send.enqueue({ to: "b", n: 1 });
        await waitForState(send, other.id, "done");
        expect(events.filter((event) => event.startsWith("a"))).toEqual(["a1 begins"]);
        gate.resolve();
        await Promise.all(added.map(({ id }) => waitForState(send, id, "done")));
        expect(events.filter((event) => event.startsWith("a"))).toEqual(
          [1, 2, 3].flatMap((n) => [`a${n} begins`, `a${n} ends`]),
        );
      });
    },
  );

  fact(
    "all processes together begin no more attempts in a period than the rate allows",
    async (_, storage) => {
      const rate = { limit: 5, perSecs: 0.2 };
      const define = (app: JobApp) =>
        app.jobs.define("limited", { input: z.number(), rate, concurrency: 3 }, async () =>
          Number(await app.db.fetchValue`SELECT ${app.durable.kernel.now}`),
        );
      const [one, two] = [jobApp(storage), jobApp(storage)];
      const [limited] = [define(one), define(two)];
      await withStarted(one, () =>
        withStarted(two, async () => {
          const added = await limited.enqueueAll(Array.from({ length: 16 }, (__, input) => ({ input })));
          const done = await Promise.all(added.map(({ id }) => waitForState(limited, id, "done")));
          const times = done.map(({ result }) => result as number).toSorted((a, b) => a - b);
          // 16 attempts need four periods, so two whole ones lie between the first attempt and the last: the first period may be older than the jobs
          expect(
            (times.at(-1) ?? 0) - Math.min(...done.map(({ createdAt }) => createdAt)),
          ).toBeGreaterThanOrEqual(400);
        }),
      );
    },
  );

  fact(
    "a process returns permits that no job needed; once all are used, another process gets none",
    async (app, storage) => {
      const rate = { limit: 5, perSecs: 600 };
      const define = (to: JobApp) => to.jobs.define("limited", { rate }, () => {});
      const limited = define(app);
      const period = async (): Promise<string> => {
        const [row] = await app.db.query<{
          used: number;
          granted: number;
        }>`SELECT used, granted FROM framework_job_rates`;
        return `${row?.used} used, ${row?.granted} granted`;
      };
      await withStarted(app, async () => {
        for (let count = 1; count <= 5; count++) {
          const { id } = await limited.enqueue();
          await waitForState(limited, id, "done");
          await waitFor(async () => (await period()).startsWith(`${count} used`), {
            subject: `${count} used permits`,
          });
        }
        await app.db.execute`UPDATE framework_job_rates SET began_at = began_at + 1000`; // as if the clock had been set back by a second
        const { id } = await limited.enqueue();
        const other = jobApp(storage);
        define(other);
        await withStarted(other, async () => {
          await waitFor(async () => (await period()) === "5 used, 0 granted", {
            subject: "a refused request",
          });
          expect((await limited.get(id))?.state).toBe("ready");
        });
      });
    },
  );

  fact("jobs of a process without background work run in another process", async (_, storage) => {
    const ran: string[] = [];
    const define = (app: JobApp, host: string) =>
      app.jobs.define("shared", { input: z.number() }, (n) => void ran.push(`${host} ${n}`));
    const [web, worker] = [jobApp(storage, { runWork: false }), jobApp(storage)];
    const [onWeb, onWorker] = [define(web, "web"), define(worker, "worker")];
    await withStarted(worker, () =>
      withStarted(web, async () => {
        const { id } = await onWeb.enqueue(1);
        await waitForState(onWorker, id, "done");
        expect(ran).toEqual(["worker 1"]);
      }),
    );
  });
};
