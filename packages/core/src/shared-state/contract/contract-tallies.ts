import assert from "node:assert/strict";
import { type Fact, refuses, ttlMs } from "./contract-fact.ts";

/** What running totals promise. */
export const tallyFacts: readonly Fact[] = [
  [
    "totals are the sums of what every view added, one by one, in the order of the names",
    async ({ views: [a, b] }) => {
      await a.tally("t", [
        ["requests", [1, 0.5]],
        ["__proto__", [1]],
      ]);
      await b.tally("t", [
        ["constructor", [2]],
        ["requests", [2, 0.25]],
      ]);
      await a.tally("other", [["requests", [9]]]);
      for (const view of [a, b]) {
        assert.deepEqual(await view.totals("t"), [
          ["requests", [3, 0.75]],
          ["__proto__", [1]],
          ["constructor", [2]],
        ]);
      }
      assert.deepEqual(await a.totals("nothing"), []);
    },
  ],
  [
    "a thousand additions at the same time are all counted",
    async ({ views: [a, b] }) => {
      await Promise.all(
        Array.from({ length: 500 }, async () => {
          await a.tally("t", [["n", [1]]]);
          await b.tally("t", [["n", [1]]]);
        }),
      );
      assert.deepEqual(await b.totals("t"), [["n", [1000]]]);
    },
  ],
  [
    "totals do not expire, and are no values or counters",
    async ({ views: [a, b], advance }) => {
      await a.tally("t", [["n", [1]]]);
      assert.equal(await b.get("t"), undefined);
      assert.equal(await a.delete("t"), false);
      await a.add("t", 5, { ttlMs });
      await advance(2 * ttlMs);
      assert.deepEqual(await b.totals("t"), [["n", [1]]]);
    },
  ],
  [
    "a name keeps as many totals as it had numbers at first",
    async ({ views: [a] }) => {
      await a.tally("t", [["n", [1, 1]]]);
      await a.tally("t", [["n", [1]]]);
      await a.tally("t", [["n", [1, 1, 1]]]);
      assert.deepEqual(await a.totals("t"), [["n", [3, 2]]]);
    },
  ],
  [
    "amounts beyond the bounds are refused, and nothing of the call is added",
    async ({ views: [a] }) => {
      const tally = (...amounts: [string, number[]][]) => a.tally("t", [["n", [1]], ...amounts]);
      await refuses("CORE_SHARED_STATE_BAD_OPTION", () => tally(["m", [Number.NaN]]));
      await refuses("CORE_SHARED_STATE_BAD_OPTION", () => tally(["m", [Infinity]]));
      await refuses("CORE_SHARED_STATE_BAD_OPTION", () => tally(["m".repeat(4097), [1]]));
      await refuses("CORE_SHARED_STATE_BAD_OPTION", () => tally(["m", Array(257).fill(1)]));
      const many = Array.from({ length: 1000 }, (_, index): [string, number[]] => [`n${index}`, [1]]);
      await refuses("CORE_SHARED_STATE_BAD_OPTION", () => tally(...many));
      await refuses("CORE_SHARED_STATE_BAD_KEY", () => a.tally("", []));
      await refuses("CORE_SHARED_STATE_BAD_KEY", () => a.totals(""));
      assert.deepEqual(await a.totals("t"), []);
    },
  ],
];
