import assert from "node:assert/strict";
import { CircuitOpenError } from "@framework/core";
import type { SharedState } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { type Outcome, type Service, service, type Worker } from "./service.test-kit.ts";

/** Calls one worker. Returns the output, `null` if rejected. */
const call = async (worker: Worker | undefined, outcome: Outcome): Promise<Outcome | null> => {
  try {
    return (await worker?.call(null, () => outcome)) ?? null;
  } catch (error) {
    assert.ok(error instanceof CircuitOpenError);
    return null;
  }
};

const fail = async (worker: Worker | undefined, times: number): Promise<void> => {
  for (let time = 0; time < times; time++) await call(worker, "failure");
};

test("a circuit that opens in one worker opens in all at once, for the remaining time", async () => {
  const { workers, clock, states } = await service();
  await fail(workers[0], 4);
  expect(states()).toEqual(["closed", "closed", "closed", "closed"]);
  await fail(workers[0], 1);
  await clock.advance(0);
  expect(states()).toEqual(["open", "open", "open", "open"]);
  expect(await call(workers[3], "success")).toBeNull();
  await clock.advance(29_999);
  expect(states()).toEqual(["open", "open", "open", "open"]);
  await clock.advance(1);
  expect(states()).toEqual(["half-open", "half-open", "half-open", "half-open"]);
});

test("each worker counts its own failures", async () => {
  const { workers, states } = await service();
  for (const worker of workers) await fail(worker, 4);
  expect(states()).toEqual(["closed", "closed", "closed", "closed"]);
  expect(workers.map(({ circuits }) => circuits.list()[0]?.failures)).toEqual([4, 4, 4, 4]);
});

/** Starts a call at a worker; `end` ends it. */
const begin = (worker: Worker | undefined) => {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const begun = { isAdmitted: false, end: resolve };
  const next = (): Promise<Outcome> => {
    begun.isAdmitted = true;
    return promise;
  };
  const answer = async () => worker?.call(null, next);
  answer().catch((error: unknown) => assert.ok(error instanceof CircuitOpenError));
  return begun;
};

test("exactly halfOpenTarget of a thousand concurrent calls at four workers are trials, and their successes close the circuit everywhere", async () => {
  const { workers, clock, states } = await service();
  await fail(workers[0], 5);
  await clock.advance(30_000);
  const calls = Array.from({ length: 1000 }, (_, index) => begin(workers[index % 4]));
  await clock.advance(0);
  const trials = calls.filter(({ isAdmitted }) => isAdmitted);
  expect(trials).toHaveLength(3);
  for (const { end } of trials) end("success");
  await clock.advance(0);
  expect(states()).toEqual(["closed", "closed", "closed", "closed"]);
});

test("one failed trial reopens the circuit everywhere, and pending successes no longer count", async () => {
  const { workers, clock, states } = await service();
  await fail(workers[0], 5);
  await clock.advance(30_000);
  const calls = workers.slice(0, 3).map(begin);
  await clock.advance(0);
  calls[0]?.end("failure");
  await clock.advance(0);
  expect(states()).toEqual(["open", "open", "open", "open"]);
  for (const { end } of calls) end("success");
  await clock.advance(30_000);
  for (let time = 0; time < 2; time++) await call(workers[time], "success");
  await clock.advance(0);
  expect(states()).not.toContain("closed");
  await call(workers[3], "success");
  await clock.advance(0);
  expect(states()).toEqual(["closed", "closed", "closed", "closed"]);
});

test("the slots of a dead worker are free after resetTimeout", async () => {
  const { workers, clock } = await service();
  await fail(workers[0], 5);
  await clock.advance(30_000);
  const held = Array.from({ length: 3 }, () => begin(workers[0]));
  await clock.advance(0);
  expect(held.map(({ isAdmitted }) => isAdmitted)).toEqual([true, true, true]);
  workers[0]?.die();
  expect(await call(workers[1], "success")).toBeNull();
  await clock.advance(29_999);
  expect(await call(workers[1], "success")).toBeNull();
  await clock.advance(2);
  for (const outcome of ["success", "success", "success"] as const) {
    expect(await call(workers[1], outcome)).toBe("success");
  }
});

test("a worker that starts later adopts the state and remaining time", async () => {
  const { workers, clock, start, states } = await service({ workers: 1 });
  await fail(workers[0], 5);
  await clock.advance(20_000);
  const late = await start();
  expect(late.circuits.list()[0]).toMatchObject({ state: "open", retryAfterSecs: 10 });
  await clock.advance(10_000);
  for (let time = 0; time < 3; time++) await call(workers[0], "success");
  await clock.advance(0);
  await start();
  expect(states()).toEqual(["closed", "closed", "closed"]);
  await fail(late, 5);
  await clock.advance(0);
  expect(states()).toEqual(["open", "open", "open"]);
});

test("trip and reset resolve after every worker has changed", async () => {
  const { workers, states, clock } = await service();
  await workers[2]?.circuits.trip("callee");
  expect(states()).toEqual(["open", "open", "open", "open"]);
  await clock.advance(29_000);
  await workers[1]?.circuits.trip("callee");
  await clock.advance(2000);
  expect(states()).toEqual(["open", "open", "open", "open"]);
  await workers[0]?.circuits.reset("callee");
  expect(states()).toEqual(["closed", "closed", "closed", "closed"]);
});

test("every worker reports every change once, in order", async () => {
  const { workers, clock } = await service({ workers: 2 });
  await fail(workers[0], 5);
  await clock.advance(30_000);
  for (let time = 0; time < 3; time++) await call(workers[0], "success");
  await clock.advance(0);
  for (const { seen } of workers) {
    expect(seen).toEqual([
      { name: "callee", from: "closed", to: "open" },
      { name: "callee", from: "open", to: "half-open" },
      { name: "callee", from: "half-open", to: "closed" },
    ]);
  }
});

test("a worker that missed an announcement adopts the phase at its next trial or decision", async () => {
  let dropsMessages = false;
  const wrap: Parameters<typeof service>[0] = {
    workers: 2,
    wrap: ({ values, ...others }) => ({
      ...others,
      values: {
        ...values,
        subscribe: (channel, listener) =>
          values.subscribe(channel, (message) => (dropsMessages ? undefined : listener(message))),
      },
    }),
  };
  const { workers, clock, states } = await service(wrap);
  dropsMessages = true;
  await fail(workers[0], 5);
  await clock.advance(0);
  expect(states()).toEqual(["open", "closed"]);
  await clock.advance(10_000);
  await fail(workers[1], 5);
  await clock.advance(0);
  expect(states()).toEqual(["open", "open"]);
  await clock.advance(30_000);
  for (let time = 0; time < 3; time++) await call(workers[0], "success");
  await clock.advance(0);
  expect(states()).toEqual(["closed", "half-open"]);
  expect(await call(workers[1], "success")).toBe("success");
  expect(states()).toEqual(["closed", "closed"]);
});

test("workers answer an outdated phase with the current one", async () => {
  let dropsMessages = false;
  const { workers, clock, states } = await service({
    workers: 2,
    wrap: ({ values, ...others }) => ({
      ...others,
      values: {
        ...values,
        subscribe: (channel, listener) =>
          values.subscribe(channel, (message) => (dropsMessages ? undefined : listener(message))),
      },
    }),
  });
  dropsMessages = true;
  for (const what of ["trip", "reset", "trip"] as const) await workers[0]?.circuits[what]("callee");
  dropsMessages = false;
  await clock.advance(200_000); // the successor of the first phase has expired by now
  await workers[0]?.circuits.trip("callee");
  expect(states()).toEqual(["open", "open"]);
  dropsMessages = true;
  await workers[0]?.circuits.reset("callee");
  dropsMessages = false;
  await clock.advance(200_000);
  expect(states()).toEqual(["closed", "half-open"]);
  expect(await call(workers[1], "failure")).toBe("failure");
  await clock.advance(0);
  expect(states()).toEqual(["closed", "closed"]);
});

test("a worker whose phase has expired everywhere adopts the current one", async () => {
  let dropsMessages = true;
  const { workers, clock, states } = await service({
    workers: 2,
    wrap: ({ values, ...others }) => ({
      ...others,
      values: {
        ...values,
        subscribe: (channel, listener) =>
          values.subscribe(channel, (message) => (dropsMessages ? undefined : listener(message))),
      },
    }),
  });
  for (const what of ["trip", "reset", "trip", "reset"] as const) await workers[0]?.circuits[what]("callee");
  dropsMessages = false;
  await clock.advance(8 * 86_400_000);
  await fail(workers[1], 5);
  expect(states()).toEqual(["closed", "open"]);
  await clock.advance(0);
  expect(states()).toEqual(["closed", "closed"]);
  await fail(workers[1], 5);
  await clock.advance(0);
  expect(states()).toEqual(["open", "open"]);
});

test("of a trip and a reset at the same time one comes last, for every worker", async () => {
  const { workers, states, clock } = await service();
  const [one, two] = workers as [Worker, Worker];
  const forced = Promise.all([one.circuits.trip("callee"), two.circuits.reset("callee")]);
  await clock.advance(0);
  await forced;
  expect(new Set(states()).size).toBe(1);
});

test("no request passes while the announcement is pending", async () => {
  const { workers } = await service();
  const [first] = workers;
  for (let time = 0; time < 5; time++) void first?.call(null, () => "failure");
  expect(() => first?.call(null, () => "success")).toThrow("Circuit open");
});

test("without the shared state each worker uses its own circuits", async () => {
  let isDown = false;
  const gone = () => Promise.reject(new Error("gone"));
  const { workers, clock, states } = await service({
    workers: 2,
    wrap: ({ values, permits, totals }) => ({
      values: {
        ...values,
        add: (...args) => (isDown ? gone() : values.add(...args)),
        get: (...args) => (isDown ? gone() : values.get(...args)),
        set: (...args) => (isDown ? gone() : values.set(...args)),
        publish: (...args) => (isDown ? gone() : values.publish(...args)),
      },
      permits: { take: (...args) => (isDown ? gone() : permits.take(...args)) },
      totals,
    }),
  });
  isDown = true;
  await fail(workers[0], 5);
  await clock.advance(0);
  expect(states()).toEqual(["open", "closed"]);
  await clock.advance(30_000);
  const calls = Array.from({ length: 10 }, () => begin(workers[0]));
  await clock.advance(0);
  const trials = calls.filter(({ isAdmitted }) => isAdmitted);
  expect(trials).toHaveLength(3);
  for (const { end } of trials) end("success");
  await clock.advance(0);
  expect(states()).toEqual(["closed", "closed"]);
  isDown = false;
  await fail(workers[1], 5);
  await fail(workers[0], 5);
  await clock.advance(0);
  expect(new Set(states()).size).toBe(1);
});

type Act =
  | readonly ["burst", workers: readonly number[]]
  | readonly ["end", ended: readonly (readonly [at: number, outcome: Outcome])[]]
  | readonly ["wait", ms: number]
  | readonly ["die", worker: number];

const worker = fc.nat({ max: 3 });
const acts = fc.array<Act>(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.tuple(fc.constant("burst" as const), fc.array(worker, { minLength: 1, maxLength: 8 })),
    },
    {
      weight: 5,
      arbitrary: fc.tuple(
        fc.constant("end" as const),
        fc.array(fc.tuple(fc.nat({ max: 20 }), fc.constantFrom<Outcome>("success", "success", "failure")), {
          minLength: 1,
          maxLength: 8,
        }),
      ),
    },
    {
      weight: 3,
      arbitrary: fc.tuple(
        fc.constant("wait" as const),
        fc.oneof(fc.integer({ min: 1, max: 1500 }), fc.constantFrom(500, 1000)),
      ),
    },
    { weight: 1, arbitrary: fc.tuple(fc.constant("die" as const), worker) },
  ),
  { maxLength: 40, size: "max" },
);

/** Runs; `FRAMEWORK_MODEL_RUNS=2500` for more. */
const numRuns = Number(process.env["FRAMEWORK_MODEL_RUNS"] ?? 800);

interface Trial {
  readonly at: number;
  readonly begun: ReturnType<typeof begin>;
}

/** Performs all acts and checks the invariants after each. */
const live = async (world: Service, list: readonly Act[], resetMs: number, target: number): Promise<void> => {
  const { clock, workers, start, states } = world;
  let under: { worker: Worker; begun: ReturnType<typeof begin> }[] = [];
  let trials: Trial[] = [];
  for (const act of list) {
    const [before] = states();
    if (act[0] === "burst") {
      const begun = act[1].map((at) => ({ worker: workers[at] as Worker, begun: begin(workers[at]) }));
      await clock.advance(0);
      const admitted = begun.filter(({ begun: { isAdmitted } }) => isAdmitted);
      if (before === "open") assert.equal(admitted.length, 0, "admitted while open");
      if (before === "closed") assert.equal(admitted.length, begun.length, "rejected while closed");
      under.push(...admitted);
      const at = clock.now();
      if (before === "half-open") trials.push(...admitted.map(({ begun: trial }) => ({ at, begun: trial })));
    } else if (act[0] === "end") {
      for (const [at, outcome] of act[1]) {
        const [ended] = under.splice(at % Math.max(1, under.length), 1);
        ended?.begun.end(outcome);
        trials = trials.filter(({ begun }) => begun !== ended?.begun);
      }
    } else if (act[0] === "wait") await clock.advance(act[1]);
    else {
      const dead = workers[act[1]] as Worker;
      dead.die();
      under = under.filter(({ worker: at }) => at !== dead);
      const born = await start();
      workers.splice(workers.indexOf(born), 1);
      workers[act[1]] = born;
    }
    await clock.advance(0);
    const now = states();
    assert.equal(new Set(now).size, 1, `workers disagree: ${now.join()}`);
    if (now[0] !== "half-open") trials = [];
    const held = trials.filter(({ at }) => clock.now() < at + resetMs);
    assert.ok(held.length <= target, `${held.length} concurrent trials`);
  }
};

test("workers agree, never exceed halfOpenTarget and never deadlock, even if some exit", async () => {
  const property = fc.asyncProperty(
    fc.integer({ min: 1, max: 3 }),
    fc.constantFrom(0.5, 1, 2),
    fc.integer({ min: 1, max: 3 }),
    acts,
    async (failureThreshold, resetTimeout, halfOpenTarget, list) => {
      const world = await service({ failureThreshold, resetTimeout, halfOpenTarget });
      await live(world, list, resetTimeout * 1000, halfOpenTarget);
      await world.clock.advance(2 * resetTimeout * 1000 + 2);
      for (let time = 0; time < halfOpenTarget; time++) {
        assert.equal(await call(world.workers[time % 4], "success"), "success");
        await world.clock.advance(0);
      }
      assert.deepEqual(world.states(), ["closed", "closed", "closed", "closed"]);
    },
  );
  await expect(fc.assert(property, { numRuns })).resolves.toBeUndefined();
});

test("a worker that missed announcements adopts the state when its connection is back", async () => {
  const reports: ((() => void) | undefined)[] = [];
  let isDeaf = false;
  const wrap = (shared: SharedState): SharedState => ({
    ...shared,
    values: {
      ...shared.values,
      subscribe: (channel, listener, options) => {
        reports.push(options?.missed);
        return shared.values.subscribe(channel, (message) => (isDeaf ? undefined : listener(message)));
      },
    },
  });
  const { workers, states, clock } = await service({ workers: 2, failureThreshold: 1, wrap });
  isDeaf = true;
  await call(workers[0], "failure");
  await clock.advance(0);
  expect(states()).toEqual(["open", "closed"]);
  for (const missed of reports) missed?.();
  await clock.advance(0);
  expect(states()).toEqual(["open", "open"]);
});
