import assert from "node:assert/strict";
import { systemClock } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { Debts } from "./debts.ts";
import { Limit } from "./limit.ts";
import { timedState } from "./limited-app.test-kit.ts";
import { directQuotas, type Quota } from "./quota.ts";
import { RateLimitConfig } from "./rate-limit-config.ts";
import { type Algorithm, type Service, service } from "./service.test-kit.ts";

/** Runs of each property; set `FRAMEWORK_MODEL_RUNS`, such as 1000, for more. */
const numRuns = Number(process.env["FRAMEWORK_MODEL_RUNS"] ?? 250);

const algorithms = fc.constantFrom<Algorithm>("token_bucket", "sliding_window");

/** A naive model of one key's limit, with whole numbers and a list of all admissions. */
class Model {
  now = 0;
  private readonly uses: number[] = [];
  /** Permits of the bucket, multiplied by the window. */
  private level: number;
  private readonly algorithm: Algorithm;
  private readonly max: number;
  private readonly windowMs: number;
  constructor(algorithm: Algorithm, max: number, windowMs: number) {
    this.algorithm = algorithm;
    this.max = max;
    this.windowMs = windowMs;
    this.level = max * windowMs;
  }

  wait(ms: number): void {
    this.now += ms;
    this.level = Math.min(this.max * this.windowMs, this.level + ms * this.max);
  }

  send(): Quota {
    const allowed = this.free() > 0;
    if (allowed) {
      this.uses.push(this.now);
      this.level -= this.windowMs;
    }
    return { allowed, remaining: this.free(), waitMs: this.waitMs(), resetMs: this.resetMs() };
  }

  private inWindow(): number[] {
    return this.uses.filter((use) => use + this.windowMs > this.now);
  }

  private free(): number {
    return this.algorithm === "token_bucket"
      ? Math.floor(this.level / this.windowMs)
      : this.max - this.inWindow().length;
  }

  private waitMs(): number {
    if (this.free() > 0) return 0;
    return this.algorithm === "token_bucket"
      ? (this.windowMs - this.level) / this.max
      : Math.min(...this.inWindow()) + this.windowMs - this.now;
  }

  private resetMs(): number {
    const last = this.inWindow().at(-1);
    if (this.algorithm === "token_bucket") return this.windowMs - this.level / this.max;
    return last === undefined ? 0 : last + this.windowMs - this.now;
  }
}

interface Real {
  readonly send: () => Quota;
  readonly time: { now: number };
}

class Send implements fc.Command<Model, Real> {
  check = () => true;
  run(model: Model, { send }: Real): void {
    const [expected, seen] = [model.send(), send()];
    assert.deepEqual([seen.allowed, seen.remaining], [expected.allowed, expected.remaining]);
    assert.ok(Math.abs(seen.waitMs - expected.waitMs) < 1e-3, `waitMs ${seen.waitMs}`);
    assert.ok(Math.abs(seen.resetMs - expected.resetMs) < 1e-3, `resetMs ${seen.resetMs}`);
  }
  toString = () => "send";
}

class Wait implements fc.Command<Model, Real> {
  private readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
  check = () => true;
  run(model: Model, { time }: Real): void {
    model.wait(this.ms);
    time.now += this.ms;
  }
  toString = () => `wait ${this.ms}`;
}

test("one process matches the model in decision, remaining, wait and reset", () => {
  const commands = fc.commands(
    [fc.constant(new Send()), fc.integer({ min: 1, max: 700 }).map((ms) => new Wait(ms))],
    { maxCommands: 60, size: "max" },
  );
  const property = () =>
    fc.property(
      algorithms,
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 4 }),
      commands,
      (algorithm, maxRequests, windowSecs, list) => {
        fc.modelRun(() => {
          const limit = new Limit("default", RateLimitConfig.of({ algorithm, maxRequests, windowSecs }));
          const { time, shared } = timedState();
          const permits = directQuotas({
            store: shared.permits,
            timeoutMs: 50,
            debts: new Debts({ clock: systemClock }),
            onError() {},
          });
          const send = () => permits.take(limit, "k") as Quota;
          return { model: new Model(algorithm, maxRequests, windowSecs * 1000), real: { send, time } };
        }, list);
      },
    );
  expect(() => fc.assert(property(), { numRuns: 2 * numRuns })).not.toThrow();
});

/** The events of a service: requests, a burst of the whole limit, waits, a worker's exit. */
type Event = readonly [event: "request" | "fill" | "wait" | "exit", worker: number, amount: number];

const events = fc.array<Event>(
  fc.tuple(
    fc.constantFrom("request", "request", "request", "fill", "wait", "wait", "exit"),
    fc.nat({ max: 2 }),
    fc.nat({ max: 12 }),
  ),
  { minLength: 1, maxLength: 40, size: "max" },
);

/** Performs the events; `stepMs` is one unit of waiting. */
const perform = async (
  { clock, limit, send, replace, running }: Service,
  list: readonly Event[],
  stepMs: number,
): Promise<void> => {
  const requests: Promise<unknown>[] = [];
  for (const [event, at, amount] of list) {
    const worker = at % running.length;
    const count = event === "fill" ? limit.rule.capacity : amount;
    if (event === "exit") replace(worker);
    else if (event === "wait") await clock.advance(amount * stepMs);
    else for (let call = 0; call < count; call++) requests.push(send(worker));
    if (amount % 4 > 0) await clock.advance(0);
  }
  await clock.advance(100);
  await Promise.all(requests);
};

const workerCounts = fc.integer({ min: 1, max: 3 });

test("at a fixed time all workers together admit exactly the limit, even if all but one are idle", async () => {
  await fc.assert(
    fc.asyncProperty(
      algorithms,
      workerCounts,
      fc.integer({ min: 1, max: 150 }),
      events,
      fc.nat({ max: 2 }),
      async (algorithm, workers, max, list, last) => {
        const world = service(max, 3600, { algorithm, workers });
        const calls = list.filter(([event]) => event === "request");
        await perform(world, calls, 0);
        await world.sendAll(last % workers, max + 1);
        expect(world.outcomes).not.toContain(null);
        expect(world.admitted.length).toBe(max);
      },
    ),
    { numRuns },
  );
});

test("no interval admits more than the limit, even if workers exit at any time", async () => {
  await fc.assert(
    fc.asyncProperty(
      algorithms,
      workerCounts,
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 4 }),
      events,
      async (algorithm, workers, max, windowSecs, list) => {
        const world = service(max, windowSecs, { algorithm, workers });
        await perform(world, list, 250);
        const windowMs = windowSecs * 1000;
        const allowed = (ms: number) =>
          algorithm === "token_bucket" ? max + (ms * max) / windowMs + 1e-5 : ms < windowMs ? max : Infinity;
        const { admitted } = world;
        const excesses = [];
        for (const [first, from] of admitted.entries())
          for (let last = first; last < admitted.length; last++) {
            const to = admitted[last] as number;
            if (last - first + 1 > allowed(to - from)) excesses.push([from, to]);
          }
        expect(excesses).toEqual([]);
      },
    ),
    { numRuns: 2 * numRuns },
  );
});

test("a client that waits for Retry-After is admitted by any worker", async () => {
  let denials = 0;
  await fc.assert(
    fc.asyncProperty(
      algorithms,
      workerCounts,
      fc.integer({ min: 1, max: 60 }),
      events,
      fc.nat({ max: 2 }),
      async (algorithm, workers, max, list, last) => {
        const world = service(max, 5, { algorithm, workers });
        await perform(world, list, 150);
        const quota = await world.send(0);
        if (quota === null || quota.allowed) return;
        denials++;
        await world.clock.advance(Math.max(1, Math.ceil(quota.waitMs / 1000)) * 1000);
        expect(await world.send(last % workers)).toMatchObject({ allowed: true });
      },
    ),
    { numRuns },
  );
  expect(denials).toBeGreaterThan(0);
});
