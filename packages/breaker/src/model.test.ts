import assert from "node:assert/strict";
import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { type Breaker, breaker, type CircuitState } from "./index.ts";

type Outcome = "success" | "failure" | "abort";

interface Settings {
  readonly failureThreshold: number;
  readonly resetTimeout: number;
  readonly halfOpenTarget: number;
}

interface Begun {
  readonly at: number;
  readonly generation: number;
}

/** A naive model of a circuit that records every event. */
class Model {
  now = 0;
  /** Running calls. */
  readonly calls: Begun[] = [];
  /** Incremented by every change between closed and not closed, and by every reopening. */
  private generation = 0;
  private isClosed = true;
  private failures = 0;
  private openedAt = 0;
  private successes = 0;
  private readonly settings: Settings;
  constructor(settings: Settings) {
    this.settings = settings;
  }

  state(): CircuitState {
    if (this.isClosed) return "closed";
    return this.now < this.openedAt + this.settings.resetTimeout * 1000 ? "open" : "half-open";
  }

  /** Returns `null` if the call is admitted, else the seconds to wait before retrying. */
  begin(): { readonly retryAfterSecs: number } | null {
    const state = this.state();
    const trials = this.calls.filter((call) => this.holdsSlot(call)).length;
    if (state === "closed" || (state === "half-open" && trials < this.settings.halfOpenTarget)) {
      this.calls.push({ at: this.now, generation: this.generation });
      return null;
    }
    const leftMs = this.openedAt + this.settings.resetTimeout * 1000 - this.now;
    return { retryAfterSecs: Math.max(1, Math.ceil(leftMs / 1000)) };
  }

  end(index: number, outcome: Outcome): void {
    const [call] = this.calls.splice(index, 1) as [Begun];
    if (outcome === "abort" || call.generation !== this.generation) return;
    if (this.isClosed) {
      this.failures = outcome === "failure" ? this.failures + 1 : 0;
      if (this.failures === this.settings.failureThreshold) this.open();
    } else if (this.holdsSlot(call)) {
      if (outcome === "failure") return this.open();
      this.successes++;
      if (this.successes === this.settings.halfOpenTarget) this.close();
    }
  }

  open(): void {
    this.startGeneration(false);
    this.openedAt = this.now;
  }

  close(): void {
    this.startGeneration(true);
  }

  private startGeneration(isClosed: boolean): void {
    this.isClosed = isClosed;
    this.generation++;
    this.failures = 0;
    this.successes = 0;
  }

  private holdsSlot({ at, generation }: Begun): boolean {
    return generation === this.generation && this.now < at + this.settings.resetTimeout * 1000;
  }
}

type End = (outcome: Outcome) => void;

class Real {
  readonly clock = virtualClock();
  readonly calls: { readonly end: End; readonly done: Promise<unknown> }[] = [];
  readonly seen: string[] = [];
  readonly circuit: Breaker<null, Outcome>;
  constructor(settings: Settings) {
    this.circuit = breaker<null, Outcome>({
      ...settings,
      clock: this.clock,
      isFailure: (outcome) => outcome === "failure",
      onTransition: ({ from, to }) => void this.seen.push(`${from} > ${to}`),
    });
  }

  begin(): { readonly retryAfterSecs: number } | null {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    try {
      const done = Promise.resolve(this.circuit(null, () => promise)).catch(() => {});
      const end: End = (outcome) =>
        outcome === "abort" ? reject(new DOMException("gone", "AbortError")) : resolve(outcome);
      this.calls.push({ end, done });
      return null;
    } catch (error) {
      return { retryAfterSecs: (error as { extras: { retry_after: number } }).extras.retry_after };
    }
  }
}

type Step = fc.AsyncCommand<Model, Real>;

const step = (name: string, run: (model: Model, real: Real) => void | Promise<void>): Step => ({
  check: () => true,
  async run(model, real) {
    await run(model, real);
    assert.equal(real.circuit.state, model.state());
  },
  toString: () => name,
});

const begin = step("begin", (model, real) => assert.deepEqual(real.begin(), model.begin()));

const end = (at: number, outcome: Outcome): Step => ({
  ...step(`end ${at} ${outcome}`, async (model, real) => {
    const index = at % model.calls.length;
    model.end(index, outcome);
    const [call] = real.calls.splice(index, 1);
    call?.end(outcome);
    await call?.done;
  }),
  check: ({ calls }) => calls.length > 0,
});

const wait = (ms: number): Step =>
  step(`wait ${ms}`, async (model, real) => {
    model.now += ms;
    await real.clock.advance(ms);
  });

const manual = (action: "trip" | "reset"): Step =>
  step(action, (model, real) => {
    if (action === "trip") model.open();
    else model.close();
    real.circuit[action]();
  });

const commands = fc.commands(
  [
    fc.constant(begin),
    fc.constant(begin),
    fc
      .tuple(fc.nat({ max: 9 }), fc.constantFrom<Outcome>("success", "failure", "failure", "abort"))
      .map(([at, outcome]) => end(at, outcome)),
    fc.oneof(fc.integer({ min: 1, max: 2500 }), fc.constantFrom(500, 1000)).map(wait), // including to the exact end of a phase
    fc
      .constantFrom("trip" as const, "reset" as const, null)
      .map((action) => (action === null ? begin : manual(action))),
  ],
  { maxCommands: 60, size: "max" },
);

/** Runs of the property; set `FRAMEWORK_MODEL_RUNS`, such as 8000, for more. */
const numRuns = Number(process.env["FRAMEWORK_MODEL_RUNS"] ?? 1500);

const smallNumber = fc.integer({ min: 1, max: 4 });

test("a circuit matches the model for any sequence of calls, outcomes, times and manual changes", async () => {
  const property = fc.asyncProperty(
    smallNumber,
    fc.constantFrom(0.5, 1, 2, 3),
    smallNumber,
    commands,
    async (failureThreshold, resetTimeout, halfOpenTarget, list) => {
      const settings = { failureThreshold, resetTimeout, halfOpenTarget };
      const world = { model: new Model(settings), real: new Real(settings) };
      await fc.asyncModelRun(() => world, list);
      const allowed = [
        "closed > open",
        "open > half-open",
        "half-open > open",
        "half-open > closed",
        "open > closed",
      ];
      for (const seen of world.real.seen) assert.ok(allowed.includes(seen), seen);
      const chain = world.real.seen.map((seen) => seen.split(" > "));
      for (const [index, [from]] of chain.entries()) assert.equal(from, chain[index - 1]?.[1] ?? "closed");
    },
  );
  await expect(fc.assert(property, { numRuns })).resolves.toBeUndefined();
});
