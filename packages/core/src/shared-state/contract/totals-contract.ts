import assert from "node:assert/strict";
import {
  type PortContract,
  type PortFacts,
  type PortFixture,
  portContract,
} from "../../contract/port-contract.ts";
import type { Totals } from "../totals/totals.ts";
import { failsWith, ttlMs } from "./fact-tools.ts";

const facts: PortFacts<PortFixture<Totals>> = {
  "totals are the sums of what every view added, one by one, in the order of the names": async ({
    views: [a, b],
  }) => {
    await a.add("t", [
      ["requests", [1, 0.5]],
      ["__proto__", [1]],
    ]);
    await b.add("t", [
      ["constructor", [2]],
      ["requests", [2, 0.25]],
    ]);
    await a.add("other", [["requests", [9]]]);
    for (const view of [a, b]) {
      assert.deepEqual(await view.read("t"), [
        ["requests", [3, 0.75]],
        ["__proto__", [1]],
        ["constructor", [2]],
      ]);
    }
    assert.deepEqual(await a.read("nothing"), []);
  },
  "a thousand additions at the same time are all counted": async ({ views: [a, b] }) => {
    await Promise.all(
      Array.from({ length: 500 }, async () => {
        await a.add("t", [["n", [1]]]);
        await b.add("t", [["n", [1]]]);
      }),
    );
    assert.deepEqual(await b.read("t"), [["n", [1000]]]);
  },
  "totals do not expire": async ({ views: [a, b], advance }) => {
    await a.add("t", [["n", [1]]]);
    await advance(ttlMs);
    assert.deepEqual(await b.read("t"), [["n", [1]]]);
  },
  "a name keeps as many totals as it had numbers at first": async ({ views: [a] }) => {
    await a.add("t", [["n", [1, 1]]]);
    await a.add("t", [["n", [1]]]);
    await a.add("t", [["n", [1, 1, 1]]]);
    assert.deepEqual(await a.read("t"), [["n", [3, 2]]]);
  },
  "amounts beyond the bounds are refused, and nothing of the call is added": async ({ views: [a] }) => {
    const add = (...amounts: [string, number[]][]) => a.add("t", [["n", [1]], ...amounts]);
    await failsWith("CORE_SHARED_STATE_BAD_OPTION", () => add(["m", [Number.NaN]]));
    await failsWith("CORE_SHARED_STATE_BAD_OPTION", () => add(["m", [Infinity]]));
    await failsWith("CORE_SHARED_STATE_BAD_OPTION", () => add(["m".repeat(4097), [1]]));
    await failsWith("CORE_SHARED_STATE_BAD_OPTION", () => add(["m", Array(257).fill(1)]));
    const many = Array.from({ length: 1000 }, (_, index): [string, number[]] => [`n${index}`, [1]]);
    await failsWith("CORE_SHARED_STATE_BAD_OPTION", () => add(...many));
    await failsWith("CORE_SHARED_STATE_BAD_KEY", () => a.add("", []));
    await failsWith("CORE_SHARED_STATE_BAD_KEY", () => a.read(""));
    assert.deepEqual(await a.read("t"), []);
  },
};

/** The promises of `Totals`. */
export const totalsContract: PortContract<PortFixture<Totals>> = portContract("totals", facts);
