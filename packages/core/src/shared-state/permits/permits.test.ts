import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { inProcessPermits, PermitTable } from "./in-process-permits.ts";
import type { PermitRequest, PermitRule, PermitResult } from "./permits.ts";

const rules = fc.record({
  kind: fc.constantFrom("bucket" as const, "window" as const),
  capacity: fc.integer({ min: 1, max: 40 }),
  windowMs: fc.integer({ min: 1, max: 200 }),
});

/** Creates permits on a clock that the caller advances; `take` is synchronous. */
const stateAt = (time: { now: number }) => {
  const permits = inProcessPermits({ clock: { now: () => time.now } });
  return (rule: PermitRule, request: PermitRequest): PermitResult =>
    permits.take("k", rule, request) as PermitResult;
};

/** A naive model of a bucket or window without leases, with whole numbers and a list of all uses. */
class NaivePermits {
  private readonly rule: PermitRule;
  private readonly uses: number[] = [];
  private scaled: number;
  private at = 0;
  constructor(rule: PermitRule) {
    this.rule = rule;
    this.scaled = rule.capacity * rule.windowMs;
  }

  take(spend: number, now: number): number {
    const { kind, capacity, windowMs } = this.rule;
    this.scaled = Math.min(capacity * windowMs, this.scaled + (now - this.at) * capacity);
    this.at = now;
    const inWindow = this.uses.filter((use) => use + windowMs > now).length;
    const free = kind === "bucket" ? Math.floor(this.scaled / windowMs) : capacity - inWindow;
    const spent = Math.min(spend, free);
    this.scaled -= spent * windowMs;
    for (let use = 0; use < spent; use++) this.uses.push(now);
    return spent;
  }
}

test("bucket and window match the naive models for any sequence of calls", () => {
  const steps = fc.array(
    fc.record({ wait: fc.integer({ min: 0, max: 60 }), spend: fc.integer({ min: 0, max: 12 }) }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(rules, steps, (rule, list) => {
      const time = { now: 0 };
      const take = stateAt(time);
      const model = new NaivePermits(rule);
      const [real, naive]: [unknown[], unknown[]] = [[], []];
      for (const { wait, spend } of list) {
        time.now += wait;
        const { spent, free, waitMs } = take(rule, { spend });
        real.push([spent, free === 0 ? waitMs > 0 : waitMs === 0]);
        naive.push([model.take(spend, time.now), true]);
      }
      expect(real).toEqual(naive);
    }),
    { numRuns: 1500 },
  );
});

type Act = "lease" | "use" | "giveBack" | "exit" | "wait" | "spend";

/** A worker that leases permits, uses them and may exit without returning its lease. */
interface Worker {
  holder: string;
  hold: number;
  until: number;
  used: number[];
}

const simulate = (rule: PermitRule, acts: readonly (readonly [Act, index: number, amount: number])[]) => {
  const time = { now: 0 };
  const take = stateAt(time);
  const uses: number[] = [];
  let workerCount = 0;
  const newWorker = (): Worker => ({ holder: `holder ${workerCount++}`, hold: 0, until: 0, used: [] });
  const workers = [newWorker(), newWorker(), newWorker()];
  const update = (worker: Worker, spend: number, max: number, share: number, leaseMs: number): void => {
    if (worker.until <= time.now) worker.hold = 0;
    const used = worker.used.map((at) => time.now - at);
    const { hold, holder } = worker;
    const { spent, leased } = take(rule, { spend, lease: { holder, hold, used, max, share, leaseMs } });
    for (let use = 0; use < spent; use++) uses.push(time.now);
    Object.assign(worker, { used: [], hold: hold + leased, until: time.now + leaseMs });
  };
  for (const [act, index, amount] of acts) {
    const worker = workers[index] as Worker;
    if (act === "wait") time.now += amount * 3;
    else if (act === "spend") update(worker, amount, 0, 1, 20);
    else if (act === "lease") update(worker, amount % 2, amount, 0.6, 10 + amount * 4);
    else if (act === "exit") workers[index] = newWorker();
    else if (act === "giveBack") {
      worker.hold = 0;
      update(worker, 0, 0, 1, 20);
    } else if (worker.hold > 0 && time.now < worker.until) {
      worker.hold--;
      worker.used.push(time.now);
      uses.push(time.now);
    }
  }
  return { time, take, uses };
};

const acts = fc.array(
  fc.tuple(
    fc.constantFrom<Act>("lease", "use", "use", "use", "giveBack", "exit", "wait", "wait", "spend"),
    fc.nat({ max: 2 }),
    fc.nat({ max: 12 }),
  ),
  { maxLength: 80, size: "max" },
);

test("no interval has more uses than the rule allows, however workers lease, delay, return permits or exit", () => {
  fc.assert(
    fc.property(rules, acts, (rule, list) => {
      const { uses } = simulate(rule, list);
      const { kind, capacity, windowMs } = rule;
      const allowed = (ms: number) =>
        kind === "bucket"
          ? capacity + (ms * capacity) / windowMs + 1e-5
          : ms < windowMs
            ? capacity
            : Infinity;
      const excesses = uses.flatMap((from, first) =>
        uses.slice(first).filter((to, more) => more + 1 > allowed(to - from)),
      );
      expect(excesses).toEqual([]);
    }),
    { numRuns: 3000 },
  );
});

test("a caller that waits for waitMs gets a permit", () => {
  fc.assert(
    fc.property(rules, acts, (rule, list) => {
      const { time, take } = simulate(rule, list);
      const first = take(rule, { spend: 1 });
      if (first.spent === 1) return;
      time.now += first.waitMs;
      expect(take(rule, { spend: 1 }).spent).toBe(1);
    }),
    { numRuns: 2000 },
  );
});

test("all permits are free again one window after the last lease ends", () => {
  fc.assert(
    fc.property(rules, acts, (rule, list) => {
      const { time, take } = simulate(rule, list);
      time.now += 10_000;
      expect(take(rule, { spend: 0 }).free).toBe(rule.capacity);
    }),
    { numRuns: 500 },
  );
});

test("a burst across two windows is limited like other bursts", () => {
  const time = { now: 0 };
  const take = stateAt(time);
  const rule: PermitRule = { kind: "window", capacity: 2000, windowMs: 1000 };
  time.now = 999;
  expect(take(rule, { spend: 5000 }).spent).toBe(2000);
  let more = 0;
  for (; time.now < 1999; time.now++) more += take(rule, { spend: 5000 }).spent;
  expect(more).toBe(0);
  time.now = 1999 + 1000 / 64; // the documented error: at most one step late, never early
  expect(take(rule, { spend: 5000 }).spent).toBe(2000);
});

test("a lowered capacity applies at once, a raised one refills at its rate", () => {
  const time = { now: 0 };
  const take = stateAt(time);
  const ruleOf = (capacity: number): PermitRule => ({ kind: "bucket", capacity, windowMs: 1000 });
  expect(take(ruleOf(100), { spend: 1 }).free).toBe(99);
  expect(take(ruleOf(50), { spend: 1 }).free).toBe(49);
  expect(take(ruleOf(100), { spend: 0 }).free).toBe(49);
  time.now = 100;
  expect(take(ruleOf(100), { spend: 0 }).free).toBe(59);
});

test("waitMs is exact after the capacity of a window was lowered", () => {
  const time = { now: 0 };
  const take = stateAt(time);
  const ruleOf = (capacity: number): PermitRule => ({ kind: "window", capacity, windowMs: 1000 });
  for (time.now = 0; time.now < 10; time.now++) take(ruleOf(10), { spend: 1 });
  const { waitMs } = take(ruleOf(4), { spend: 1 });
  time.now += waitMs - 1;
  expect(take(ruleOf(4), { spend: 1 }).spent).toBe(0);
  time.now += 1;
  expect(take(ruleOf(4), { spend: 1 }).spent).toBe(1);
});

const hour: PermitRule = { kind: "window", capacity: 1000, windowMs: 3_600_000 };

test("above maxKeys the least recently used key is evicted", () => {
  const table = new PermitTable({ maxKeys: 3, maxNumbers: 1000 });
  for (const key of ["a", "b", "c", "a", "d"]) table.take(key, hour, { spend: 1 }, 0);
  const free = ["a", "c", "d"].map((key) => table.take(key, hour, { spend: 0 }, 0).free);
  expect([table.size, free, table.take("b", hour, { spend: 0 }, 0).free]).toEqual([3, [998, 999, 999], 1000]);
});

test("exceeding maxNumbers also evicts keys", () => {
  const table = new PermitTable({ maxKeys: 100, maxNumbers: 40 });
  table.take("a", hour, { spend: 1 }, 0);
  for (let now = 0; now < 30; now++) table.take("b", hour, { spend: 1 }, now);
  expect([table.size, table.take("b", hour, { spend: 0 }, 30).free]).toEqual([1, 970]);
});

test("a key whose permits are all free is removed, and a read stores no key", () => {
  const table = new PermitTable({ maxKeys: 100, maxNumbers: 1000 });
  const second: PermitRule = { kind: "bucket", capacity: 10, windowMs: 1000 };
  for (let key = 0; key < 50; key++) table.take(`${key}`, second, { spend: 1 }, key * 50);
  expect(table.size).toBeLessThanOrEqual(4);
  table.take("read", second, { spend: 0 }, 2500);
  expect(table.take("read", hour, { spend: 1 }, 2500).free).toBe(999);
});

test("100,000 keys stay within maxKeys", () => {
  const permits = inProcessPermits({ clock: { now: () => 0 }, maxKeys: 1000 });
  for (let key = 0; key < 100_000; key++) void permits.take(`${key}`, hour, { spend: 1 });
  const results = Array.from(
    { length: 2000 },
    (_, back) => permits.take(`${99_999 - back}`, hour, { spend: 0 }) as PermitResult,
  );
  expect(results.filter(({ free }) => free === 999)).toHaveLength(1000);
});
