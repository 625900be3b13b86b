import assert from "node:assert/strict";
import type { PortFacts, PortFixture } from "../../contract/port-contract.ts";
import type { Json, SharedValues } from "../values/shared-values.ts";
import { failsWith, TTL_MS } from "./fact-tools.ts";

const options = { ttlMs: TTL_MS, group: "test", maxKeys: 100 };

/** Guarantees of raised values. */
export const raiseFacts: PortFacts<PortFixture<SharedValues>> = {
  "a value is raised only to a greater number": async ({ views: [a, b] }) => {
    const steps: readonly (readonly [value: number, isStored: boolean])[] = [
      [0, true],
      [0, false],
      [3, true],
      [2, false],
      [3, false],
      [10, true],
      [9, false],
      [2 ** 52, true],
      [2 ** 52 + 1, true],
      [2 ** 53 - 1, true],
      [2 ** 53 - 2, false],
    ];
    let highest = 0;
    for (const [index, [value, isStored]] of steps.entries()) {
      assert.equal(await (index % 2 === 0 ? a : b).raise("mark", value, options), isStored, `step ${index}`);
      highest = Math.max(highest, value);
      assert.equal(await (index % 2 === 0 ? b : a).get("mark"), highest);
    }
  },
  "exactly one of many concurrent callers raises to a value": async ({ views: [a, b] }) => {
    for (const value of [1, 2, 3]) {
      const raised = Array.from({ length: 40 }, async (_, at) =>
        (at % 2 === 0 ? a : b).raise("race", value, options),
      );
      assert.equal((await Promise.all(raised)).filter(Boolean).length, 1);
    }
  },
  "a raise extends the time to live of a value and never shortens it": async ({ views: [a, b], advance }) => {
    await a.raise("long", 1, { ...options, ttlMs: 900 });
    await b.raise("long", 2, { ...options, ttlMs: 300 });
    await a.raise("short", 1, { ...options, ttlMs: 300 });
    await b.raise("short", 2, { ...options, ttlMs: 900 });
    await a.raise("same", 1, { ...options, ttlMs: 300 });
    await b.raise("same", 1, { ...options, ttlMs: 900 }); // not stored, so its ttlMs has no effect
    await advance(500);
    assert.deepEqual([await a.get("long"), await a.get("short"), await a.get("same")], [2, 2, undefined]);
    await advance(600);
    assert.deepEqual([await a.get("long"), await a.get("short")], [undefined, undefined]);
    assert.equal(await a.raise("long", 0, options), true);
  },
  "a raised value is an ordinary number for the other calls": async ({ views: [a, b] }) => {
    await a.raise("n", 4, options);
    assert.equal((await b.add("n", 1, { ttlMs: TTL_MS })).value, 5);
    assert.equal(await a.raise("n", 5, options), false);
    assert.equal(await b.set("n", 1, { ttlMs: TTL_MS }), true);
    assert.equal(await a.raise("n", 2, options), true);
    assert.equal(await b.delete("n"), true);
    assert.equal(await a.raise("n", 0, options), true);
  },
  "a value that is not a number is not raised": async ({ views: [a, b] }) => {
    for (const value of ["7", null, true, [1], {}] as Json[]) {
      await a.set("text", value, { ttlMs: TTL_MS });
      await failsWith("CORE_SHARED_STATE_NOT_A_COUNTER", () => b.raise("text", 9, options));
      assert.deepEqual(await a.get("text"), value);
    }
  },
  "raise accepts only whole numbers, and options in range": async ({ views: [a] }) => {
    for (const bad of [-1, 0.5, 2 ** 53, Number.NaN, Infinity])
      await failsWith("CORE_SHARED_STATE_BAD_VALUE", () => a.raise("k", bad, options));
    for (const bad of [{ ttlMs: 0 }, { ttlMs: Number.NaN }, { maxKeys: 0 }, { maxKeys: 1.5 }])
      await failsWith("CORE_SHARED_STATE_BAD_OPTION", () => a.raise("k", 1, { ...options, ...bad }));
    await failsWith("CORE_SHARED_STATE_BAD_KEY", () => a.raise("", 1, options));
    await failsWith("CORE_SHARED_STATE_BAD_KEY", () => a.raise("k", 1, { ...options, group: "" }));
    assert.equal(await a.get("k"), undefined);
  },
};
