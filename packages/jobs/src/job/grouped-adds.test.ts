import { setImmediate as nextTurn } from "node:timers/promises";
import { openDatabase } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { createKernel, type NewWork, type WorkQueue } from "@framework/durable/feature";
import { expect, test } from "@jest/globals";
import { quiet } from "../testing/job-app.test-kit.ts";
import { GroupedAdds } from "./grouped-adds.ts";
import type { JobPayload } from "./job-payload.ts";

/** Statements of the latest queue in flight at the same time, at most. */
const most = { flights: 0 };

/** Adds to a real queue; `groups` has the size of each statement. */
const adding = async (
  test: (adds: GroupedAdds, groups: number[], queue: WorkQueue<JobPayload>) => Promise<void>,
) => {
  await using place = databaseInFile();
  const db = openDatabase({ url: place.url });
  await using kernel = createKernel(db, { config: { runWork: false }, log: quiet });
  const queue = kernel.queue<JobPayload>({ name: "adds", handle() {} });
  await kernel.start();
  const groups: number[] = [];
  let flights = 0;
  most.flights = 0;
  const counted = Object.create(queue, {
    enqueue: {
      value(work: NewWork<JobPayload> | readonly NewWork<JobPayload>[]) {
        groups.push(Array.isArray(work) ? work.length : 1);
        most.flights = Math.max(most.flights, ++flights);
        return queue.enqueue(work).finally(async () => {
          for (let turn = 0; turn < 5; turn++) await nextTurn(); // SQLite answers at once, PostgreSQL later
          flights--;
        });
      },
    },
  }) as WorkQueue<JobPayload>;
  await test(new GroupedAdds(counted), groups, queue);
  await kernel.stop();
  await db.close();
};

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

test("adds of one turn are one statement, in their order, and each caller gets the id of its job", () =>
  adding(async (adds, groups, queue) => {
    const added = await Promise.all(numbers(25).map((input) => adds.add({ payload: { input } })));
    expect(groups).toEqual([25]);
    const { items } = await queue.list();
    expect(items.map(({ payload }) => payload)).toEqual(numbers(25).map((input) => ({ input })));
    expect(added).toEqual(items.map(({ id }) => ({ id, isNew: true })));
  }));

test("a statement adds at most 1,000 jobs, and two are in flight at most", () =>
  adding(async (adds, groups, queue) => {
    await Promise.all(numbers(4500).map((input) => adds.add({ payload: { input } })));
    expect(groups).toEqual([1000, 1000, 1000, 1000, 500]);
    expect([(await queue.stats()).ready, most.flights]).toEqual([4500, 2]);
  }));

test("jobs with keys are added by one statement at a time, in the order of the calls, also with unique keys", () =>
  adding(async (adds, groups, queue) => {
    const works = numbers(2600).map((input) => ({
      payload: { input },
      key: `k${input % 3}`,
      ...(input === 1200 && { uniqueKey: "u" }),
    }));
    await Promise.all(works.map((work) => adds.add(work)));
    expect([groups, most.flights]).toEqual([[1000, 200, 1, 1000, 399], 1]);
    const { items } = await queue.list({ limit: 1000, order: "newest" });
    expect(items.map(({ payload }) => payload)).toEqual(
      numbers(2600)
        .slice(1600)
        .toReversed()
        .map((input) => ({ input })),
    );
  }));

test("jobs with keys wait for their statement, however many wait", () =>
  adding(async (adds, groups, queue) => {
    await Promise.all(numbers(10_500).map((input) => adds.add({ payload: { input }, key: "k" })));
    expect([groups.length, most.flights]).toEqual([11, 1]);
    const { items } = await queue.list({ limit: 1, order: "newest" });
    expect(items).toMatchObject([{ payload: { input: 10_499 } }]);
  }));

test("when bad work is refused, the others of its statement are added one after the other", () =>
  adding(async (adds, _groups, queue) => {
    const works = numbers(20).map((input) => ({
      payload: { input },
      key: "k",
      ...(input === 10 && { priority: 1000 }),
    }));
    await Promise.allSettled(works.map((work) => adds.add(work)));
    const { items } = await queue.list();
    expect([items.map(({ payload }) => payload), most.flights]).toEqual([
      numbers(20)
        .filter((input) => input !== 10)
        .map((input) => ({ input })),
      1,
    ]);
  }));

test("jobs that are together too large for one statement are added one by one", () =>
  adding(async (adds, groups, queue) => {
    const input = "x".repeat(1_048_000);
    await Promise.all(numbers(70).map(() => adds.add({ payload: { input } })));
    expect([groups.length, (await queue.stats()).ready]).toEqual([71, 70]);
  }));

test("bad work is refused alone, and jobs with unique keys go alone", () =>
  adding(async (adds, groups, queue) => {
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
    expect(groups.toSorted((a, b) => a - b)).toEqual([1, 1, 1, 1, 1, 3]);
    const [first, second] = await Promise.all([calls[3], calls[4]]);
    expect([first?.isNew, second]).toEqual([true, { id: first?.id, isNew: false }]);
    expect((await queue.stats()).ready).toBe(3);
  }));

test("when the database fails, every caller of the statement gets its error, and nothing is tried twice", () =>
  adding(async (adds, groups, queue) => {
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
