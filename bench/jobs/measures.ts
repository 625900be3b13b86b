import { setTimeout as delay } from "node:timers/promises";
import { quantile } from "../measure/statistics.ts";
import { type Contender, payloadOf } from "./contender.ts";

const MINUTE_MS = 60_000;

/** Measures added jobs per second, with `callers` concurrent callers that add single jobs. */
export const addSingly = async (contender: Contender, jobs: number, callers: number): Promise<number> => {
  let left = jobs;
  const caller = async (): Promise<void> => {
    while (left-- > 0) await contender.add(payloadOf(left));
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: callers }, caller));
  return perSecond(jobs, start);
};

/** Measures added jobs per second, when one caller adds batches. */
export const addInBatches = async (contender: Contender, jobs: number, batch: number): Promise<number> => {
  const payloads = Array.from({ length: batch }, (_, at) => payloadOf(at));
  const start = performance.now();
  for (let added = 0; added < jobs; added += batch) await contender.addAll(payloads);
  return perSecond(jobs, start);
};

/** Runs a worker until no unfinished job is left. */
export const drainQueue = async (contender: Contender): Promise<void> => {
  const end = performance.now() + MINUTE_MS;
  const worker = await contender.work(50, () => {});
  try {
    while (await contender.hasUnfinished()) {
      if (performance.now() > end) throw new Error("a queue was not empty after a minute");
      await delay(5);
    }
  } finally {
    await worker[Symbol.asyncDispose]();
  }
};

/** Measures completed jobs per second, from the first handler to the last stored completion. All jobs are added before the worker starts. */
export const runJobs = async (contender: Contender, jobs: number, concurrency: number): Promise<number> => {
  for (let added = 0; added < jobs; added += 1000)
    await contender.addAll(Array.from({ length: Math.min(1000, jobs - added) }, (_, at) => payloadOf(at)));
  const { promise, resolve } = Promise.withResolvers<void>();
  let handled = 0;
  let start = 0;
  await using _worker = await contender.work(concurrency, () => {
    if (handled++ === 0) start = performance.now();
    if (handled === jobs) resolve();
  });
  await promise;
  while (await contender.hasUnfinished()) await new Promise(setImmediate);
  return perSecond(jobs, start);
};

/** Milliseconds from adding a job to the call of its handler, without other work. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

/** Adds jobs one by one, each 5 to 25 ms after the previous one ended. */
export const measureStartLatency = async (contender: Contender, jobs: number): Promise<Latency> => {
  let started = Promise.withResolvers<number>();
  await using _worker = await contender.work(10, () => started.resolve(performance.now()));
  await contender.add(payloadOf(0));
  await started.promise;
  const latencies: number[] = [];
  for (let at = 0; at < jobs; at++) {
    await delay(5 + ((at * 7) % 20));
    started = Promise.withResolvers<number>();
    const start = performance.now();
    const [startedAt] = await Promise.all([started.promise, contender.add(payloadOf(at))]);
    latencies.push(startedAt - start);
  }
  const sorted = latencies.toSorted((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
};

const perSecond = (jobs: number, start: number): number => (jobs * 1000) / (performance.now() - start);
