import assert from "node:assert/strict";
import type { PortFacts, PortFixture } from "../../contract/port-contract.ts";
import type { SharedValues } from "../values/shared-values.ts";
import { failsWith, TTL_MS } from "./fact-tools.ts";

/** Guarantees of counters. */
export const counterFacts: PortFacts<PortFixture<SharedValues>> = {
  "a counter begins at 0, adds up across views and returns its remaining time to live": async ({
    views: [a, b],
  }) => {
    const first = await a.add("hits", 2, { ttlMs: TTL_MS });
    assert.deepEqual([first.value, first.granted], [2, 2]);
    const { value, granted, expiresInMs } = await b.add("hits", 3, { ttlMs: TTL_MS });
    assert.deepEqual([value, granted], [5, 3]);
    assert.ok(expiresInMs > 0 && expiresInMs <= TTL_MS, `${expiresInMs}`);
  },
  "an addition is limited by max, a subtraction by 0": async ({ views: [a, b] }) => {
    const steps: readonly (readonly [amount: number, max: number, value: number, granted: number])[] = [
      [3, 5, 3, 3],
      [3, 5, 5, 2],
      [1, 5, 5, 0],
      [1, 4, 5, 0],
      [0, 5, 5, 0],
      [-2, 5, 3, -2],
      [-9, 5, 0, -3],
      [-1, 5, 0, 0],
      [1, 0, 0, 0],
    ];
    for (const [index, [amount, max, value, granted]] of steps.entries()) {
      const added = await (index % 2 === 0 ? a : b).add("slots", amount, { ttlMs: TTL_MS, max });
      assert.deepEqual([added.value, added.granted], [value, granted], `step ${index}`);
    }
  },
  "concurrent additions are granted exactly max in total": async ({ views: [a, b] }) => {
    const additions = Array.from({ length: 200 }, async (_, index) =>
      (index % 2 === 0 ? a : b).add("seats", 1 + (index % 3), { ttlMs: TTL_MS, max: 100 }),
    );
    const added = await Promise.all(additions);
    assert.equal(
      added.reduce((sum, { granted }) => sum + granted, 0),
      100,
    );
    assert.equal(await a.get("seats"), 100);
  },
  "an addition that grants nothing creates no counter": async ({ views: [a] }) => {
    assert.deepEqual(await a.add("none", 5, { ttlMs: TTL_MS, max: 0 }), {
      value: 0,
      granted: 0,
      expiresInMs: TTL_MS,
    });
    assert.deepEqual(await a.add("none", 0, { ttlMs: TTL_MS }), {
      value: 0,
      granted: 0,
      expiresInMs: TTL_MS,
    });
    assert.equal(await a.get("none"), undefined);
  },
  "a counter expires after the ttlMs of the call that created it, then begins at 0": async ({
    views: [a, b],
    advance,
  }) => {
    await a.add("window", 1, { ttlMs: 500 });
    await advance(200);
    const again = await b.add("window", 1, { ttlMs: 5000 });
    assert.ok(again.value === 2 && again.expiresInMs <= 300, JSON.stringify(again));
    await advance(400);
    assert.equal((await a.add("window", 1, { ttlMs: 500 })).value, 1);
  },
  "get, set and delete treat a counter as a number, and other values are not counters": async ({
    views: [a, b],
  }) => {
    await a.add("n", 4, { ttlMs: TTL_MS });
    assert.equal(await b.get("n"), 4);
    await b.set("n", 1.5, { ttlMs: TTL_MS });
    assert.equal((await a.add("n", 1, { ttlMs: TTL_MS })).value, 2.5);
    assert.equal(await a.delete("n"), true);
    assert.equal(await b.get("n"), undefined);
    await a.set("n", "7", { ttlMs: TTL_MS });
    await failsWith("CORE_SHARED_STATE_NOT_A_COUNTER", () => b.add("n", 1, { ttlMs: TTL_MS }));
    assert.equal(await a.get("n"), "7");
  },
};
