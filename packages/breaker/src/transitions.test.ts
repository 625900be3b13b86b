import { expect, test } from "@jest/globals";
import { type Outcome, type Service, service, type Worker } from "./service.test-kit.ts";

const call = async ({ call: around }: Worker, outcome: Outcome): Promise<void> => {
  await around(null, () => outcome);
};

/** Changes by new state, summed over the workers as the metrics are. */
const counts = ({ workers }: Service) => {
  const sums: Record<string, number> = {};
  for (const { value, labels } of workers.flatMap(({ circuits }) => circuits.transitions())) {
    const to = labels?.["to"] ?? "";
    sums[to] = (sums[to] ?? 0) + value;
  }
  return sums;
};

const collectLines = () => {
  const lines: string[] = [];
  const add = (text: string): void => void lines.push(text);
  return { lines, log: { info: add, warn: add, error: add } };
};

test("a change in all workers is counted and logged once", async () => {
  const { lines, log } = collectLines();
  const own = await service({ workers: 3, log });
  const { workers, clock } = own;
  const [first, second, third] = workers as [Worker, Worker, Worker];
  for (let time = 0; time < 5; time++) await call(first, "failure");
  await clock.advance(30_000);
  for (const worker of [third, second, first]) await call(worker, "success");
  await clock.advance(0);
  expect(counts(own)).toEqual({ closed: 1, "half-open": 1, open: 1 });
  expect(lines).toEqual([
    'circuit "callee" is open',
    'circuit "callee" is half-open',
    'circuit "callee" is closed',
  ]);
  await second.circuits.trip("callee");
  await third.circuits.reset("callee");
  expect(counts(own)).toEqual({ closed: 2, "half-open": 1, open: 2 });
});

test("when workers open a circuit at the same time, one counts the change", async () => {
  const own = await service({ workers: 3 });
  const failures = own.workers.flatMap((worker) => Array.from({ length: 5 }, () => call(worker, "failure")));
  await Promise.all(failures);
  await own.clock.advance(0);
  expect(own.states()).toEqual(["open", "open", "open"]);
  expect(counts(own)).toEqual({ closed: 0, "half-open": 0, open: 1 });
});

test("without the shared state each worker counts the changes of its own circuit", async () => {
  const gone = () => Promise.reject(new Error("gone"));
  const own = await service({
    workers: 2,
    wrap: ({ values, permits, ...others }) => ({
      ...others,
      permits: { ...permits, take: gone },
      values: { ...values, get: gone, set: gone, add: gone, publish: gone },
    }),
  });
  for (const worker of own.workers) for (let time = 0; time < 5; time++) await call(worker, "failure");
  await own.clock.advance(30_000);
  for (const worker of own.workers) await call(worker, "success");
  expect(counts(own)).toEqual({ closed: 0, "half-open": 2, open: 2 });
});
