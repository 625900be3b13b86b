import assert from "node:assert/strict";
import type { PortFacts, PortFixture } from "../../contract/port-contract.ts";
import type { Json, SharedValues } from "../values/shared-values.ts";
import { failsWith, TTL_MS } from "./fact-tools.ts";

/** Input that every adapter rejects. */
export const boundFacts: PortFacts<PortFixture<SharedValues>> = {
  "keys and channels have 1 to 512 characters": async ({ views: [a] }) => {
    const longest = "k".repeat(512);
    await a.set(longest, 1, { ttlMs: TTL_MS });
    assert.equal(await a.get(longest), 1);
    for (const key of ["", `${longest}k`]) {
      await failsWith("CORE_SHARED_STATE_BAD_KEY", () => a.get(key));
      await failsWith("CORE_SHARED_STATE_BAD_KEY", () => a.set(key, 1, { ttlMs: TTL_MS }));
      await failsWith("CORE_SHARED_STATE_BAD_KEY", () => a.add(key, 1, { ttlMs: TTL_MS }));
      await failsWith("CORE_SHARED_STATE_BAD_KEY", () => a.delete(key));
      await failsWith("CORE_SHARED_STATE_BAD_KEY", () => a.publish(key, 1));
      await failsWith("CORE_SHARED_STATE_BAD_KEY", () => a.subscribe(key, () => {}));
    }
  },
  "values and messages have 65,536 bytes of JSON at most": async ({ views: [a] }) => {
    const largest = "é".repeat(32_767); // two bytes each, and two quotes
    await a.set("large", largest, { ttlMs: TTL_MS });
    assert.equal(await a.get("large"), largest);
    await failsWith("CORE_SHARED_STATE_BAD_VALUE", () => a.set("large", `${largest}x`, { ttlMs: TTL_MS }));
    await failsWith("CORE_SHARED_STATE_BAD_VALUE", () => a.publish("large", `${largest}x`));
  },
  "values that are not JSON are rejected": async ({ views: [a] }) => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    for (const value of [undefined, () => {}, 1n, Number.NaN, Infinity, cycle] as Json[]) {
      await failsWith("CORE_SHARED_STATE_BAD_VALUE", () => a.set("bad", value, { ttlMs: TTL_MS }));
    }
    assert.equal(await a.get("bad"), undefined);
  },
  "ttlMs, amount and max must be in range": async ({ views: [a] }) => {
    for (const bad of [0, -1, Number.NaN, Infinity]) {
      await failsWith("CORE_SHARED_STATE_BAD_OPTION", () => a.set("k", 1, { ttlMs: bad }));
      await failsWith("CORE_SHARED_STATE_BAD_OPTION", () => a.add("k", 1, { ttlMs: bad }));
    }
    for (const bad of [Number.NaN, Infinity, -Infinity]) {
      await failsWith("CORE_SHARED_STATE_BAD_OPTION", () => a.add("k", bad, { ttlMs: TTL_MS }));
    }
    for (const bad of [-1, Number.NaN, "9" as unknown as number]) {
      await failsWith("CORE_SHARED_STATE_BAD_OPTION", () => a.add("k", 1, { ttlMs: TTL_MS, max: bad }));
    }
    assert.equal((await a.add("k", 1, { ttlMs: TTL_MS, max: Infinity })).value, 1);
  },
  "a bad waitMs is rejected, and nothing is sent": async ({ views: [a] }) => {
    const seen: Json[] = [];
    a.subscribe("waits", (message) => void seen.push(message));
    for (const waitMs of [-1, Number.NaN, -Infinity, "9" as unknown as number])
      await failsWith("CORE_SHARED_STATE_BAD_OPTION", () => a.publish("waits", "bad", { waitMs }));
    await a.publish("waits", "good");
    assert.deepEqual(seen, ["good"]);
  },
};
