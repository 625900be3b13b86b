import type { SharedState } from "@framework/core/feature";
import { seededRandom, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Parsed } from "./exposition-parser.test-kit.ts";
import type { PromRegistry } from "./index.ts";
import { service, type Worker } from "./service.test-kit.ts";

const requests = (parsed: Parsed) =>
  parsed.value("framework_http_requests_total", { method: "GET", status: "200" });

const startAll = (count: number, start: () => Promise<Worker>) =>
  Promise.all(Array.from({ length: count }, start));

test("every worker returns the metrics of all workers", async () => {
  const { start } = service(4);
  const workers = await startAll(4, start);
  for (const [index, worker] of workers.entries()) {
    await worker.serve(index + 1);
    worker.counter.inc({ kind: "x" }, index);
    worker.gauge.set(index * 10);
  }
  for (const worker of workers) {
    const parsed = await worker.scrape();
    expect([requests(parsed), parsed.value("things_total", { kind: "x" })]).toEqual([10, 6]);
    expect(["depth", "deepest", "mean", "lowest"].map((name) => parsed.value(name))).toEqual([60, 30, 15, 0]);
    expect(parsed.value("framework_scrape_missing_workers")).toBe(0);
  }
});

test("counts of 50 requests are flushed without a scrape, in at most three calls", async () => {
  const { state, start } = service(2);
  let calls = 0;
  const worker = await start((shared) => ({
    ...shared,
    totals: {
      ...shared.totals,
      add: (key, amounts) => {
        calls++;
        return shared.totals.add(key, amounts);
      },
    },
  }));
  const before = calls;
  await worker.serve(50);
  const sent = async () => {
    const totals = await state.totals.read("metrics/framework_http");
    return totals
      .find(([series]) => series.startsWith('["",'))?.[1]
      .slice(0, 12)
      .reduce((sum, count) => sum + count, 0);
  };
  await waitFor(async () => (await sent()) === 50);
  expect(calls - before).toBeLessThanOrEqual(3);
});

test("counters never decrease while workers are killed and replaced, and keep all flushed counts", async () => {
  const { start } = service(4);
  const random = seededRandom(3);
  let workers = await startAll(4, start);
  let served = 0;
  let last = 0;
  for (let round = 0; round < 100; round++) {
    for (const worker of workers) {
      const count = Math.floor(random() * 5);
      await worker.serve(count);
      served += count;
    }
    const seen = requests(await (workers[round % 4] as Worker).scrape());
    expect(seen).toBeGreaterThanOrEqual(last);
    expect(seen).toBe(served);
    last = seen;
    const [victim, ...rest] = workers;
    victim?.kill();
    workers = [...rest, await start()];
  }
  expect((await (workers[0] as Worker).scrape()).value("framework_http_requests_in_flight")).toBe(0);
});

test("a worker that stops flushes its counts", async () => {
  const { start } = service(2);
  const [one, two] = (await startAll(2, start)) as [Worker, Worker];
  await one.serve(7);
  one.counter.inc({ kind: "x" }, 3);
  one.gauge.set(5);
  await one.app.stop();
  const parsed = await two.scrape();
  expect([requests(parsed), parsed.value("things_total"), parsed.value("depth")]).toEqual([7, 3, 0]);
  expect(parsed.value("framework_scrape_missing_workers")).toBe(1);
});

test("a stuck worker times out, keeps its last values and counts as missing", async () => {
  const { start } = service(3, {}, { timeoutMs: 1000 });
  let isStuck = false;
  const blockWhenStuck = (shared: SharedState): SharedState => ({
    ...shared,
    values: {
      ...shared.values,
      subscribe: (channel, listener) =>
        shared.values.subscribe(channel, (message) =>
          isStuck ? new Promise<void>(() => {}) : listener(message),
        ),
    },
  });
  const stuck = await start(blockWhenStuck);
  const [one] = await startAll(2, start);
  await stuck.serve(4);
  expect(requests(await (one as Worker).scrape())).toBe(4);
  isStuck = true;
  const scrapeStart = performance.now();
  const parsed = await (one as Worker).scrape();
  expect(performance.now() - scrapeStart).toBeLessThan(30_000);
  expect([requests(parsed), parsed.value("framework_scrape_missing_workers")]).toEqual([4, 1]);
  isStuck = false;
  await stuck.serve(1);
  expect(requests(await (one as Worker).scrape())).toBe(5);
});

test("a worker without observations shows the registry histograms of other workers, even after their exit", async () => {
  const { start } = service(2);
  const withRegistry = (observe: boolean) => {
    const registry = new Registry();
    const took = new Histogram({
      name: "took_seconds",
      help: "Took.",
      labelNames: ["kind"],
      buckets: [1, 2],
      registers: [registry],
    });
    if (observe) took.observe({ kind: "x" }, 1.5);
    return { registries: [registry] };
  };
  const observer = await start(undefined, withRegistry(true));
  const fresh = await start(undefined, withRegistry(false));
  for (let round = 0; round < 2; round++) {
    const parsed = await fresh.scrape();
    expect(["1", "2", "+Inf"].map((le) => parsed.value("took_seconds_bucket", { le }))).toEqual([0, 1, 1]);
    observer.kill();
  }
});

test("process metrics that a registry also has are shown once, from the registry", async () => {
  const register = new Registry();
  collectDefaultMetrics({ register });
  register.setDefaultLabels({ job: "shop" });
  const worker = await service(1).start(undefined, { registries: [register], processMetrics: true });
  for (let round = 0; round < 2; round++) {
    const { families } = await worker.scrape();
    for (const name of ["process_resident_memory_bytes", "process_cpu_seconds_total", "nodejs_version_info"])
      expect([name, families.get(name)?.samples.map(({ labels }) => labels["job"] ?? "none")]).toEqual([
        name,
        ["shop"],
      ]);
  }
  expect(worker.errors).toEqual([]);
});

test("a metric that several sources have is taken from the first, and reported once", async () => {
  const names = ["jobs_total", "depth", "things_total", "framework_http_requests_total"];
  const make = (value: number) => {
    const registry = new Registry();
    const options = (name: string) => ({ name, help: "Several.", registers: [registry] });
    const [jobs, ...others] = names
      .filter((name) => name !== "depth")
      .map((name) => new Counter(options(name)));
    for (const other of others) other.inc(1000);
    new Gauge(options("depth")).set(1000);
    new Gauge(options("level")).set(value);
    jobs?.inc(value);
    return { registry, jobs };
  };
  const [one, two] = [make(2), make(100)];
  const registries = [one.registry, two.registry, one.registry];
  const worker = await service(1).start(undefined, { registries });
  worker.counter.inc({ kind: "x" });
  worker.gauge.set(5);
  for (const jobs of [2, 3, 4]) {
    const parsed = await worker.scrape();
    expect(["jobs_total", "level", "depth", "things_total"].map((name) => parsed.value(name))).toEqual([
      jobs,
      2,
      5,
      1,
    ]);
    one.jobs?.inc();
    two.jobs?.inc(7);
  }
  expect(worker.errors.toSorted()).toEqual(
    [...names, "level"]
      .toSorted()
      .map(
        (name) => `the metric ${name} of a registry is not shown: another source has a metric of this name`,
      ),
  );
});

test("if the first source of a metric fails, the next one replaces it, and nothing is counted twice", async () => {
  let isBroken = false;
  const source = (value: number) => {
    const registry: PromRegistry = {
      async getMetricsAsJSON() {
        if (isBroken && value === 5) throw new Error("broken");
        return [{ name: "jobs_total", help: "Jobs.", type: "counter", values: [{ value, labels: {} }] }];
      },
    };
    return registry;
  };
  const worker = await service(1).start(undefined, { registries: [source(5), source(3)] });
  for (const state of [false, true, false]) {
    isBroken = state;
    expect((await worker.scrape()).value("jobs_total")).toBe(5);
  }
});
