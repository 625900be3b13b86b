import assert from "node:assert/strict";
import {
  type PortContract,
  type PortFacts,
  type PortFixture,
  portContract,
} from "../../contract/port-contract.ts";
import type { Totals } from "../totals/totals.ts";
import { failsWith, TTL_MS } from "./fact-tools.ts";

const facts: PortFacts<PortFixture<Totals>> = {
  "totals are the sums of all views' additions, in the order of first use": async ({ views: [a, b] }) => {
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
  "totals are read in pages of 250, and grow between two pages without moving": async ({ views: [a, b] }) => {
    const name = (index: number): string => `n${index}`;
    const amounts = Array.from({ length: 600 }, (_, index): [string, number[]] => [name(index), [1]]);
    await a.add("t", amounts);
    const first = await b.read("t");
    await a.add("t", [...amounts, ["last", [5]]]);
    const second = await b.read("t", 250);
    const third = await b.read("t", 500);
    assert.deepEqual([first.length, second.length, third.length], [250, 250, 101]);
    const read = [...first, ...second, ...third];
    assert.deepEqual(
      read.map(([each]) => each),
      [...amounts.map(([each]) => each), "last"],
    );
    assert.deepEqual(
      [first[249], second[0], third[100]],
      [
        [name(249), [1]],
        [name(250), [2]],
        ["last", [5]],
      ],
    );
    assert.deepEqual([await b.read("t", 601), await b.read("t", 1e6)], [[], []]);
  },
  "a thousand concurrent additions are all counted": async ({ views: [a, b] }) => {
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
    await advance(TTL_MS);
    assert.deepEqual(await b.read("t"), [["n", [1]]]);
  },
  "a name keeps its initial number of totals": async ({ views: [a] }) => {
    await a.add("t", [["n", [1, 1]]]);
    await a.add("t", [["n", [1]]]);
    await a.add("t", [["n", [1, 1, 1]]]);
    assert.deepEqual(await a.read("t"), [["n", [3, 2]]]);
  },
  "a call with an amount out of range is rejected as a whole": async ({ views: [a] }) => {
    const add = (...amounts: [string, number[]][]) => a.add("t", [["n", [1]], ...amounts]);
    await failsWith("CORE_SHARED_STATE_BAD_OPTION", () => add(["m", [Number.NaN]]));
    await failsWith("CORE_SHARED_STATE_BAD_OPTION", () => add(["m", [Infinity]]));
    await failsWith("CORE_SHARED_STATE_BAD_OPTION", () => add(["m".repeat(4097), [1]]));
    await failsWith("CORE_SHARED_STATE_BAD_OPTION", () => add(["m", Array(257).fill(1)]));
    const many = Array.from({ length: 1000 }, (_, index): [string, number[]] => [`n${index}`, [1]]);
    await failsWith("CORE_SHARED_STATE_BAD_OPTION", () => add(...many));
    await failsWith("CORE_SHARED_STATE_BAD_KEY", () => a.add("", []));
    await failsWith("CORE_SHARED_STATE_BAD_KEY", () => a.read(""));
    await failsWith("CORE_SHARED_STATE_BAD_OPTION", () => a.read("t", -1));
    await failsWith("CORE_SHARED_STATE_BAD_OPTION", () => a.read("t", 0.5));
    assert.deepEqual(await a.read("t"), []);
  },
};

/** The contract of `Totals`. */
export const totalsContract: PortContract<PortFixture<Totals>> = portContract("totals", facts);
