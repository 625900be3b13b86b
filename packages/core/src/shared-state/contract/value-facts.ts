import assert from "node:assert/strict";
import type { PortFacts, PortFixture } from "../../contract/port-contract.ts";
import type { Json, SharedValues } from "../values/shared-values.ts";
import { TTL_MS } from "./fact-tools.ts";

const samples: readonly Json[] = [
  null,
  false,
  "",
  "text \u{1F600} \u0000",
  0,
  -2.5,
  [],
  [1, [null, { a: "b" }]],
  {},
  JSON.parse('{"__proto__":{"x":1},"constructor":"c","toString":null}') as Json,
];

/** Guarantees of stored values. */
export const valueFacts: PortFacts<PortFixture<SharedValues>> = {
  "every JSON value is read back equal in the other view": async ({ views: [a, b] }) => {
    for (const [index, value] of samples.entries()) {
      assert.equal(await a.set(`value-${index}`, value, { ttlMs: TTL_MS }), true);
      assert.equal(JSON.stringify(await b.get(`value-${index}`)), JSON.stringify(value));
    }
    assert.equal(await a.get("value-99"), undefined);
  },
  "values are copied when stored and when read": async ({ views: [a] }) => {
    const value = { list: [1] };
    const stored = a.set("copy", value, { ttlMs: TTL_MS });
    value.list.push(2);
    await stored;
    const read = (await a.get("copy")) as { list: number[] };
    read.list.push(3);
    assert.deepEqual(await a.get("copy"), { list: [1] });
  },
  "the last set determines the ttlMs of a value": async ({ views: [a, b], advance }) => {
    await a.set("session", "old", { ttlMs: 300 });
    await b.set("session", "new", { ttlMs: 900 });
    await advance(500);
    assert.equal(await a.get("session"), "new");
    await advance(500);
    assert.equal(await a.get("session"), undefined);
    assert.equal(await a.delete("session"), false);
  },
  "ifAbsent stores for exactly one concurrent caller, and again after expiry": async ({
    views: [a, b],
    advance,
  }) => {
    const stored = await Promise.all(
      [a, b, a, b].map(async (view, index) => view.set("lock", index, { ttlMs: 300, ifAbsent: true })),
    );
    assert.equal(stored.filter(Boolean).length, 1);
    assert.equal(await a.get("lock"), stored.indexOf(true));
    await advance(400);
    assert.equal(await b.set("lock", 9, { ttlMs: 300, ifAbsent: true }), true);
  },
  "names of Object.prototype are ordinary keys": async ({ views: [a, b] }) => {
    for (const key of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      assert.equal(await a.get(key), undefined);
      assert.equal((await a.add(key, 1, { ttlMs: TTL_MS })).value, 1);
      assert.equal(await b.get(key), 1);
    }
  },
};
