import { type Database, openDatabase } from "@framework/database";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { histories, LEASE_MS, type Step, World } from "./lanes-model.test-kit.ts";

const RUNS = Number(process.env["FRAMEWORK_MODEL_RUNS"] ?? 40);
const COUNT = 5;

const inMemory = async (processes: number, run: (world: World) => Promise<void>): Promise<void> => {
  const db: Database = openDatabase({ url: "sqlite://:memory:" });
  try {
    await run(await World.create({ open: () => db, processes, count: COUNT, canHold: false }));
  } finally {
    await db.close();
  }
};

let writes = 0;

test.each([2, 3])(
  "in random histories of %i processes, no two owners pass the check of one lane at once, and all reach fair shares",
  async (processes) => {
    const holds = async (history: readonly Step[][]): Promise<void> =>
      await inMemory(processes, async (world) => {
        for (const group of history) await world.runGroup(group);
        await world.reachFairShares();
        writes += world.writes;
      });
    await fc.assert(fc.asyncProperty(histories(processes), holds), { numRuns: RUNS, timeout: 60_000 });
  },
  600_000,
);

test("the histories include accepted writes", () => {
  expect(writes).toBeGreaterThan(0);
});

/** Crashes the first of two processes after `crashMs`, and returns the time from its last renewal until the second one has all lanes. */
const takeoverMs = async (world: World, crashMs: number, pollMs: number): Promise<number> => {
  const [first, second] = [world.process(1), world.process(0)]; // of different places
  await first.pollOnce();
  await first.pollOnce();
  await second.pollOnce(); // has joined
  for (let at = 0, renewed = 0, polled = 0; at < 10 * LEASE_MS; at += 100) {
    if (at <= crashMs && at % (LEASE_MS / 3) === 0) {
      await first.renew();
      renewed = at;
    }
    if (at > crashMs && at - polled >= pollMs) {
      await second.renew();
      await second.pollOnce();
      polled = at;
    }
    if (world.heldBy(second).length === COUNT) return at - renewed;
    await world.time.advance(100);
  }
  return Infinity;
};

test("whenever a process crashes, another has all its lanes after the lease and one poll, and not before", async () => {
  const takesOver = async (crashMs: number, pollMs: number): Promise<void> =>
    await inMemory(2, async (world) => {
      const tookMs = await takeoverMs(world, crashMs, pollMs);
      expect(tookMs).toBeGreaterThanOrEqual(LEASE_MS);
      expect(tookMs).toBeLessThanOrEqual(LEASE_MS + pollMs + 100);
    });
  const cases = fc.asyncProperty(fc.nat(20_000), fc.integer({ min: 100, max: 1000 }), takesOver);
  await fc.assert(cases, { numRuns: 10 });
}, 120_000);
