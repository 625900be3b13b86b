import { virtualClock } from "@framework/core/testing";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { Registry } from "prom-client";
import type { PromRegistry } from "./index.ts";
import { service, type Worker } from "./service.test-kit.ts";

const startAll = (count: number, start: () => Promise<Worker>) =>
  Promise.all(Array.from({ length: count }, start));

test("readings are sequential, so a slow reading does not look like a reset", async () => {
  const { start } = service(2);
  let value = 0;
  let reading = 0;
  let next = (): void => {};
  const slow: PromRegistry = {
    async getMetricsAsJSON() {
      const values = [{ value: ++value, labels: {} }];
      next();
      // If readings overlapped, the first of two would end last.
      const second = new Promise<void>((resolve) => void (next = () => setTimeout(resolve, 5)));
      const timeout = new Promise<void>((resolve) => void setTimeout(resolve, 30));
      if (++reading % 2 === 1) await Promise.race([second, timeout]);
      return [{ name: "jobs_total", help: "Jobs.", type: "counter", values }];
    },
  };
  const one = await start(undefined, { registries: [slow] });
  const two = await start(undefined, { registries: [new Registry()] });
  for (let round = 0; round < 3; round++) {
    await Promise.all([one.scrape(), two.scrape()]);
    expect((await one.scrape()).value("jobs_total")).toBe(value);
  }
});

test("while a registry hangs, only its own metrics are omitted", async () => {
  const clock = virtualClock();
  let reads = 0;
  const hanging: PromRegistry = {
    async getMetricsAsJSON() {
      if (++reads === 2) await new Promise(() => {});
      return [{ name: "rows", help: "Rows.", type: "gauge", values: [{ value: reads, labels: {} }] }];
    },
  };
  const worker = await service(1).start(undefined, { registries: [hanging], clock });
  const scrapeValues = async (isLate: boolean) => {
    await worker.serve(1);
    const readsBefore = reads;
    const parsed = worker.scrape();
    if (isLate) {
      if (readsBefore < 2) await waitFor(() => reads === 2);
      await waitFor(async () => {
        await clock.advance(800);
        return Promise.race([
          parsed.then(() => true),
          new Promise((resolve) => setImmediate(resolve, false)),
        ]);
      });
    }
    const { samples } = await parsed;
    return ["framework_http_requests_total", "rows"].map(
      (name) => samples.find((sample) => sample.name === name)?.value,
    );
  };
  expect(await scrapeValues(false)).toEqual([1, 1]);
  expect(await scrapeValues(true)).toEqual([2, undefined]);
  expect(await scrapeValues(true)).toEqual([3, undefined]);
  expect([reads, worker.errors]).toEqual([2, Array(2).fill("a metric could not be read")]);
  await clock.advance(10_000);
  expect(await scrapeValues(false)).toEqual([4, 3]);
});

test("concurrent scrapes are coalesced", async () => {
  const { start } = service(2);
  let scrapeRequests = 0;
  const worker = await start((shared) => ({
    ...shared,
    values: {
      ...shared.values,
      publish: (channel, message) => {
        if (channel.endsWith("/scrape")) scrapeRequests++;
        return shared.values.publish(channel, message);
      },
    },
  }));
  await Promise.all(Array.from({ length: 50 }, () => worker.scrape()));
  expect(scrapeRequests).toBe(1);
});

test("without the primary process a scrape fails instead of returning wrong values", async () => {
  const { start } = service(2, {}, { timeoutMs: 50 });
  const worker = await start();
  await worker.serve(3);
  worker.kill();
  const reply = await worker.reply();
  expect(reply.status).toBe(503);
  expect(await reply.json()).toMatchObject({ detail: "The metrics of the workers are unavailable" });
});

test("thousands of gauges are sent in messages within the bounds of the shared state", async () => {
  const { start } = service(2);
  const [one, two] = (await startAll(2, start)) as [Worker, Worker];
  for (let index = 0; index < 3000; index++) two.levels.set({ place: `${"é".repeat(20)} ${index}` }, index);
  // On a busy machine a scrape omits late replies.
  const samples = await waitFor(async () => {
    const found = (await one.scrape()).families.get("levels")?.samples ?? [];
    return found.length === 3000 ? found : undefined;
  });
  expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe((2999 * 3000) / 2);
});

test("when the totals are full, known series are still counted, and new ones are dropped and logged", async () => {
  const { start } = service(2, {}, { maxTotals: 1500 });
  const worker = await start();
  worker.counter.inc({ kind: "first" });
  await worker.scrape();
  for (let index = 0; index < 100; index++) worker.counter.inc({ kind: `kind ${index}` });
  worker.counter.inc({ kind: "first" });
  const parsed = await worker.scrape();
  expect(parsed.value("things_total", { kind: "first" })).toBe(2);
  const { samples = [] } = parsed.families.get("things_total") ?? {};
  expect(samples.length).toBeGreaterThan(5);
  expect(samples.length).toBeLessThan(60);
  expect(new Set(worker.errors)).toEqual(new Set(["a series was dropped: the totals are full"]));
});

test("increments of a failed flush are dropped, so they are not counted twice", async () => {
  const { start } = service(2);
  let isLost = false;
  const worker = await start((shared) => ({
    ...shared,
    totals: {
      ...shared.totals,
      add: async (key, amounts) => {
        await shared.totals.add(key, amounts);
        if (isLost) throw new Error("no reply"); // counted, but the reply is lost
      },
    },
  }));
  isLost = true;
  worker.counter.inc({ kind: "x" });
  await worker.scrape();
  isLost = false;
  worker.counter.inc({ kind: "x" });
  expect((await worker.scrape()).value("things_total")).toBe(2);
  expect(worker.errors).toContain("increments of metrics were lost");
});
