import assert from "node:assert/strict";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { begin, type PendingCall, call } from "./calls.test-kit.ts";
import { type Outcome, type Service, service, type Worker } from "./service.test-kit.ts";

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

/** Runs of the property; set `FRAMEWORK_MODEL_RUNS`, such as 2500, for more. */
const numRuns = Number(process.env["FRAMEWORK_MODEL_RUNS"] ?? 800);

interface Trial {
  readonly at: number;
  readonly begun: PendingCall;
}

/** Performs all acts and checks the invariants after each. */
const perform = async (
  world: Service,
  list: readonly Act[],
  resetMs: number,
  target: number,
): Promise<void> => {
  const { clock, workers, start, states } = world;
  let running: { worker: Worker; begun: PendingCall }[] = [];
  let trials: Trial[] = [];
  for (const act of list) {
    const [before] = states();
    if (act[0] === "burst") {
      const begun = act[1].map((at) => ({ worker: workers[at] as Worker, begun: begin(workers[at]) }));
      await clock.advance(0);
      const admitted = begun.filter(({ begun: { isAdmitted } }) => isAdmitted);
      if (before === "open") assert.equal(admitted.length, 0, "admitted while open");
      if (before === "closed") assert.equal(admitted.length, begun.length, "rejected while closed");
      running.push(...admitted);
      const at = clock.now();
      if (before === "half-open") trials.push(...admitted.map(({ begun: trial }) => ({ at, begun: trial })));
    } else if (act[0] === "end") {
      for (const [at, outcome] of act[1]) {
        const [ended] = running.splice(at % Math.max(1, running.length), 1);
        ended?.begun.end(outcome);
        trials = trials.filter(({ begun }) => begun !== ended?.begun);
      }
    } else if (act[0] === "wait") await clock.advance(act[1]);
    else {
      const stopped = workers[act[1]] as Worker;
      stopped.die();
      running = running.filter(({ worker: at }) => at !== stopped);
      const replacement = await start();
      workers.splice(workers.indexOf(replacement), 1);
      workers[act[1]] = replacement;
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
      await perform(world, list, resetTimeout * 1000, halfOpenTarget);
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
