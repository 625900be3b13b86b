import { setImmediate as nextTurn } from "node:timers/promises";
import { openDatabase } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { createKernel, type NewWork, type WorkQueue } from "@framework/durable/feature";
import { expect, test } from "@jest/globals";
import { quiet } from "../testing/job-app.test-kit.ts";
import { GroupedAdds } from "./grouped-adds.ts";
import type { JobPayload } from "./job-payload.ts";

/** Maximum number of concurrent statements of the latest queue. */
const max = { inFlight: 0 };

/** Runs a test with a real queue; `groups` has the size of each statement. */
const withAdds = async (
  test: (adds: GroupedAdds, groups: number[], queue: WorkQueue<JobPayload>) => Promise<void>,
) => {
  await using storage = databaseInFile();
  const db = openDatabase({ url: storage.url });
  await using kernel = createKernel(db, { config: { runWork: false }, log: quiet });
  const queue = kernel.queue<JobPayload>({ name: "adds", handle() {} });
  await kernel.start();
  const groups: number[] = [];
  let inFlight = 0;
  max.inFlight = 0;
  const countingQueue = Object.create(queue, {
    enqueue: {
      value(work: NewWork<JobPayload> | readonly NewWork<JobPayload>[]) {
        groups.push(Array.isArray(work) ? work.length : 1);
        max.inFlight = Math.max(max.inFlight, ++inFlight);
        return queue.enqueue(work).finally(async () => {
          for (let turn = 0; turn < 5; turn++) await nextTurn(); // SQLite responds immediately, PostgreSQL later
          inFlight--;
        });
      },
    },
  }) as WorkQueue<JobPayload>;
  await test(new GroupedAdds(countingQueue), groups, queue);
  await kernel.stop();
  await db.close();
};

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

test("adds in one turn of the event loop are one statement, in their order, and each caller gets the id of its job", () =>
  withAdds(async (adds, groups, queue) => {
    const added = await Promise.all(numbers(25).map((input) => adds.add({ payload: { input } })));
    expect(groups).toEqual([25]);
    const { items } = await queue.list();
    expect(items.map(({ payload }) => payload)).toEqual(numbers(25).map((input) => ({ input })));
    expect(added).toEqual(items.map(({ id }) => ({ id, isNew: true })));
  }));

test("a statement adds at most 1,000 jobs, and at most two are in flight", () =>
  withAdds(async (adds, groups, queue) => {
    await Promise.all(numbers(4500).map((input) => adds.add({ payload: { input } })));
    expect(groups).toEqual([1000, 1000, 1000, 1000, 500]);
    expect([(await queue.stats()).ready, max.inFlight]).toEqual([4500, 2]);
  }));

test("jobs of one key are added in the order of the calls, and a job with a unique key by its own statement", () =>
  withAdds(async (adds, groups, queue) => {
    const works = numbers(2600).map((input) => ({
      payload: { input },
      key: `k${input % 3}`,
      ...(input === 1200 && { uniqueKey: "u" }),
    }));
    await Promise.all(works.map((work) => adds.add(work)));
    expect(groups.reduce((sum, size) => sum + size, 0)).toBe(2600);
    expect(groups.filter((size) => size === 1)).toEqual([1]);
    for (const key of ["k0", "k1", "k2"]) {
      const { items } = await queue.list({ limit: 1000, key });
      expect(items.map(({ payload }) => payload)).toEqual(
        works.filter((work) => work.key === key).map(({ payload }) => payload),
      );
    }
  }));

test("adds of one key do not wait for a statement with another key, nor for queued adds of that key", async () => {
  const release = Promise.withResolvers<void>();
  const statements: (string | undefined)[][] = [];
  const queue = {
    async enqueue(work: readonly NewWork<JobPayload>[]) {
      statements.push(work.map(({ key }) => key));
      if (work[0]?.key === "slow") await release.promise;
      return work.map((_, at) => ({ id: String(at), isNew: true }));
    },
  } as unknown as WorkQueue<JobPayload>;
  const adds = new GroupedAdds(queue);
  const slow = [adds.add({ payload: { input: 0 }, key: "slow" })];
  await nextTurn();
  slow.push(...numbers(1500).map((input) => adds.add({ payload: { input }, key: "slow" })));
  await adds.add({ payload: { input: 1 }, key: "fast" });
  await adds.add({ payload: { input: 2 } });
  expect(statements).toEqual([["slow"], ["fast"], [undefined]]);
  release.resolve();
  await Promise.all(slow);
  expect(statements.slice(3).map((keys) => keys.length)).toEqual([1000, 500]);
});

test("at most 10,000 adds with keys wait, and further ones are refused with 503", () =>
  withAdds(async (adds, groups, queue) => {
    const calls = numbers(10_500).map((input) => adds.add({ payload: { input }, key: "k" }));
    const plain = adds.add({ payload: { input: "plain" } });
    const results = await Promise.allSettled(calls);
    const refused = results.filter(({ status }) => status === "rejected");
    expect([refused.length, refused[0]]).toMatchObject([
      500,
      { reason: { status: 503, code: "DURABLE_BUSY" } },
    ]);
    await plain;
    expect([groups.length, (await queue.stats()).ready]).toEqual([11, 10_001]);
    const { items } = await queue.list({ limit: 1, order: "newest", key: "k" });
    expect(items).toMatchObject([{ payload: { input: 9999 } }]);
    await adds.add({ payload: { input: 10_500 }, key: "k" });
    expect((await queue.stats()).ready).toBe(10_002);
  }));

test("when bad work is refused, the other jobs of its statement are added in their order, by few statements", () =>
  withAdds(async (adds, groups, queue) => {
    const works = numbers(1000).map((input) => ({
      payload: { input },
      key: "k",
      ...(input === 10 && { priority: 1000 }),
    }));
    await Promise.allSettled(works.map((work) => adds.add(work)));
    const { items } = await queue.list({ limit: 1000 });
    expect([items.map(({ payload }) => payload), max.inFlight]).toEqual([
      numbers(1000)
        .filter((input) => input !== 10)
        .map((input) => ({ input })),
      1,
    ]);
    expect(groups.length).toBeLessThan(25);
  }));

test("jobs that are together too large for one statement are added by several", () =>
  withAdds(async (adds, groups, queue) => {
    const input = "x".repeat(1_048_000);
    await Promise.all(numbers(70).map(() => adds.add({ payload: { input } })));
    expect([groups, (await queue.stats()).ready]).toEqual([[70, 35, 35], 70]);
  }));

test("bad work is refused while the other jobs of its statement are added, and each job with a unique key has its own statement", () =>
  withAdds(async (adds, groups, queue) => {
    const calls = [
      adds.add({ payload: { input: 1 } }),
      adds.add({ payload: { input: 2 }, priority: 1000 }),
      adds.add({ payload: { input: 3 } }),
      adds.add({ payload: { input: 4 }, uniqueKey: "u" }),
      adds.add({ payload: { input: 5 }, uniqueKey: "u" }),
    ];
    const results = await Promise.allSettled(calls);
    expect(results.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled",
      "fulfilled",
    ]);
    expect(results[1]).toMatchObject({ reason: { code: "DURABLE_BAD_WORK" } });
    expect(groups.toSorted((a, b) => a - b)).toEqual([1, 1, 1, 1, 1, 2, 3]);
    const [first, second] = await Promise.all([calls[3], calls[4]]);
    expect([first?.isNew, second]).toEqual([true, { id: first?.id, isNew: false }]);
    expect((await queue.stats()).ready).toBe(3);
  }));

test("when the database fails, every caller of the statement gets its error, and the statement is not retried", () =>
  withAdds(async (adds, groups, queue) => {
    const failure = new Error("the connection broke");
    const broken = Object.create(queue, {
      enqueue: {
        value(work: readonly unknown[]) {
          groups.push(work.length);
          return Promise.reject(failure);
        },
      },
    }) as WorkQueue<JobPayload>;
    const failing = new GroupedAdds(broken);
    const calls = numbers(3).map((input) => failing.add({ payload: { input } }));
    for (const call of calls) await expect(call).rejects.toBe(failure);
    expect(groups).toEqual([3]);
    await adds.add({ payload: { input: 1 } });
    expect(groups).toEqual([3, 1]);
  }));
