import { setTimeout as delay } from "node:timers/promises";
import { quantile } from "../measure/statistics.ts";
import { type Contender, payloadOf } from "./contender.ts";

const MINUTE_MS = 60_000;

/** Jobs in a second, when `callers` add one after the other each. */
export const addSingly = async (contender: Contender, jobs: number, callers: number): Promise<number> => {
  let left = jobs;
  const caller = async (): Promise<void> => {
    while (left-- > 0) await contender.add(payloadOf(left));
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: callers }, caller));
  return perSecond(jobs, from);
};

/** Jobs in a second, when one caller adds batches. */
export const addInBatches = async (contender: Contender, jobs: number, batch: number): Promise<number> => {
  const payloads = Array.from({ length: batch }, (_, at) => payloadOf(at));
  const from = performance.now();
  for (let added = 0; added < jobs; added += batch) await contender.addAll(payloads);
  return perSecond(jobs, from);
};

/** Works until nothing is left. */
export const empty = async (contender: Contender): Promise<void> => {
  const end = performance.now() + MINUTE_MS;
  const working = await contender.work(50, () => {});
  try {
    while (await contender.hasUnfinished()) {
      if (performance.now() > end) throw new Error("a queue was not empty after a minute");
      await delay(5);
    }
  } finally {
    await working[Symbol.asyncDispose]();
  }
};

/** Jobs in a second, from the first handler to the last stored end; the jobs are there before the worker starts. */
export const work = async (contender: Contender, jobs: number, concurrency: number): Promise<number> => {
  for (let added = 0; added < jobs; added += 1000)
    await contender.addAll(Array.from({ length: Math.min(1000, jobs - added) }, (_, at) => payloadOf(at)));
  const { promise, resolve } = Promise.withResolvers<void>();
  let handled = 0;
  let from = 0;
  await using _worker = await contender.work(concurrency, () => {
    if (handled++ === 0) from = performance.now();
    if (handled === jobs) resolve();
  });
  await promise;
  while (await contender.hasUnfinished()) await new Promise(setImmediate);
  return perSecond(jobs, from);
};

/** Milliseconds from the call that adds a job to the call of its handler, when nothing else is done. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

/** Adds jobs, each after a pause of 5 to 25 ms after the end of the one before. */
export const startLatency = async (contender: Contender, jobs: number): Promise<Latency> => {
  let started = Promise.withResolvers<number>();
  await using _worker = await contender.work(10, () => started.resolve(performance.now()));
  await contender.add(payloadOf(0));
  await started.promise;
  const taken: number[] = [];
  for (let at = 0; at < jobs; at++) {
    await delay(5 + ((at * 7) % 20));
    started = Promise.withResolvers<number>();
    const from = performance.now();
    const [startedAt] = await Promise.all([started.promise, contender.add(payloadOf(at))]);
    taken.push(startedAt - from);
  }
  const sorted = taken.toSorted((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
};

const perSecond = (jobs: number, from: number): number => (jobs * 1000) / (performance.now() - from);
