import assert from "node:assert/strict";
import { type PortContract, portContract, type PortFacts, type PortFixture } from "@framework/core/testing";
import type { SessionStore } from "./session-store.ts";

/** An empty store, as two processes or hosts see it. */
export type SessionStoreFixture = PortFixture<SessionStore>;

const TTL = 60_000;

const facts: PortFacts<SessionStoreFixture> = {
  "a new store is empty": async ({ views: [one] }) => {
    assert.deepEqual([await one.read("a"), await one.number("a")], [null, 0]);
  },
  "a written entry is read in every view, with its version": async ({ views: [one, other] }) => {
    const content = { user: "Ada \u{1f600}", data: [["__proto__", { deep: [1, null, true, "\u0000"] }]] };
    assert.equal(await one.write("a", content, { version: 0, ttlMs: TTL }), true);
    assert.deepEqual(await other.read("a"), { version: 1, content });
    assert.equal(await other.write("a", "next", { version: 1, ttlMs: TTL }), true);
    assert.deepEqual(await one.read("a"), { version: 2, content: "next" });
  },
  "keys are compared exactly, and entries and numbers have separate key spaces": async ({ views: [one] }) => {
    const keys = ["a", "A", "a ", "a:1", "a%", "a_", "__proto__", "'; --", "x".repeat(100)];
    for (const key of keys) assert.equal(await one.write(key, key, { version: 0, ttlMs: TTL }), true, key);
    for (const key of keys) {
      assert.deepEqual(await one.read(key), { version: 1, content: key });
      assert.equal(await one.number(key), 0);
    }
    await one.raise("a", 5, TTL);
    assert.deepEqual(await one.read("a"), { version: 1, content: "a" });
  },
  "an entry is created once, and replaced only by a writer that has read it": async ({
    views: [one, other],
  }) => {
    assert.equal(await one.write("a", 1, { version: 1, ttlMs: TTL }), false);
    assert.equal(await one.write("a", 1, { version: 0, ttlMs: TTL }), true);
    assert.equal(await other.write("a", 2, { version: 0, ttlMs: TTL }), false);
    assert.equal(await other.write("a", 2, { version: 2, ttlMs: TTL }), false);
    assert.equal(await other.write("a", 2, { version: 1, ttlMs: TTL }), true);
    assert.equal(await one.write("a", 3, { version: 1, ttlMs: TTL }), false);
    assert.deepEqual(await one.read("a"), { version: 2, content: 2 });
  },
  "at most one of many concurrent writers of a version succeeds, and its content is kept": async ({
    views,
  }) => {
    for (const version of [0, 1, 2]) {
      const written = await Promise.all(
        Array.from({ length: 20 }, async (_, at) =>
          views[at % 2 === 0 ? 0 : 1].write("a", `${version}/${at}`, { version, ttlMs: TTL }),
        ),
      );
      const winners = written.flatMap((isWritten, at) => (isWritten ? [at] : []));
      assert.ok(winners.length <= 1);
      const found = await views[0].read("a");
      assert.ok(found !== null && found !== "ended");
      assert.equal(found.version, version + 1);
      if (winners.length === 1) assert.equal(found.content, `${version}/${winners[0]}`);
    }
  },
  "a lone writer succeeds": async ({ views: [one, other] }) => {
    for (let version = 0; version < 10; version++) {
      const view = version % 2 === 0 ? one : other;
      assert.equal(await view.write("a", version, { version, ttlMs: TTL }), true);
    }
  },
  "an ended key stays ended in every view, even after writes": async ({ views: [one, other] }) => {
    await one.write("a", 1, { version: 0, ttlMs: TTL });
    await other.end("a", TTL);
    for (const version of [0, 1, 2, 3]) assert.equal(await one.write("a", 2, { version, ttlMs: TTL }), false);
    assert.deepEqual([await one.read("a"), await other.read("a")], ["ended", "ended"]);
    await one.end("a", TTL);
    assert.equal(await other.read("a"), "ended");
  },
  "a key ends once": async ({ views: [one, other] }) => {
    await one.write("a", 1, { version: 0, ttlMs: TTL });
    for (const key of ["a", "b"]) {
      assert.equal(await other.end(key, TTL), true);
      assert.equal(await one.end(key, TTL), false);
    }
  },
  "ending a version ends neither another version nor a key without an entry": async ({
    views: [one, other],
  }) => {
    assert.equal(await one.end("a", TTL, 1), false);
    for (const version of [0, 1]) assert.equal(await one.write("a", version, { version, ttlMs: TTL }), true);
    for (const version of [1, 3]) assert.equal(await other.end("a", TTL, version), false);
    assert.deepEqual(await one.read("a"), { version: 2, content: 1 });
    assert.equal(await other.end("a", TTL, 2), true);
    for (const version of [2, 3]) assert.equal(await one.end("a", TTL, version), false);
    assert.deepEqual([await one.read("a"), await other.read("a")], ["ended", "ended"]);
    for (const version of [0, 2, 3]) assert.equal(await one.write("a", 2, { version, ttlMs: TTL }), false);
  },
  "exactly one of many concurrent ends succeeds": async ({ views }) => {
    for (const version of [undefined, 1]) {
      const key = `a${version}`;
      await views[0].write(key, 1, { version: 0, ttlMs: TTL });
      const ends = Array.from({ length: 20 }, async (_, at) =>
        views[at % 2 === 0 ? 0 : 1].end(key, TTL, at < 10 ? version : undefined),
      );
      assert.equal((await Promise.all(ends)).filter(Boolean).length, 1);
      assert.equal(await views[1].read(key), "ended");
    }
  },
  "an end of a version and a concurrent write to it never both succeed": async ({ views: [one, other] }) => {
    for (let round = 0; round < 10; round++) {
      const key = `a${round}`;
      await one.write(key, 0, { version: 0, ttlMs: TTL });
      const writes = Array.from({ length: 5 }, async (_, at) => {
        for (let turn = 0; turn < (at * round) % 5; turn++) await Promise.resolve();
        return one.write(key, at, { version: 1, ttlMs: TTL });
      });
      const [hasEnded, ...written] = await Promise.all([other.end(key, TTL, 1), ...writes]);
      const found = await one.read(key);
      assert.equal(found === "ended", hasEnded);
      if (hasEnded) assert.equal(written.some(Boolean), false);
    }
  },
  "a key without an entry can end": async ({ views: [one, other] }) => {
    await one.end("a", TTL);
    assert.equal(await other.read("a"), "ended");
    assert.equal(await other.write("a", 1, { version: 0, ttlMs: TTL }), false);
  },
  "no concurrent write survives an end": async ({ views: [one, other] }) => {
    for (let round = 0; round < 5; round++) {
      const key = `a${round}`;
      await one.write(key, 0, { version: 0, ttlMs: TTL });
      const writes = Array.from({ length: 5 }, async () => one.write(key, 1, { version: 1, ttlMs: TTL }));
      await Promise.all([...writes, other.end(key, TTL)]);
      assert.deepEqual([await one.read(key), await other.read(key)], ["ended", "ended"]);
    }
  },
  "an entry expires, and a write prolongs it": async ({ views: [one, other], advance }) => {
    await one.write("a", 1, { version: 0, ttlMs: 3000 });
    await one.write("b", 1, { version: 0, ttlMs: 3000 });
    await advance(1500);
    assert.equal(await other.write("b", 2, { version: 1, ttlMs: 60_000 }), true);
    assert.deepEqual(await other.read("a"), { version: 1, content: 1 });
    await advance(2500);
    assert.deepEqual([await one.read("a"), await one.read("b")], [null, { version: 2, content: 2 }]);
  },
  "an ended key is remembered for its time to live": async ({ views: [one, other], advance }) => {
    await one.write("a", 1, { version: 0, ttlMs: 1000 });
    await one.end("a", 6000);
    await advance(2500);
    assert.equal(await other.read("a"), "ended");
  },
  "a number never decreases, and is the same in every view": async ({ views: [one, other] }) => {
    const steps = [
      [5, true],
      [5, false],
      [4, false],
      [6, true],
      [2 ** 53 - 1, true],
      [7, false],
    ] as const;
    for (const [at, [value, isStored]] of steps.entries())
      assert.equal(await (at % 2 === 0 ? one : other).raise("a", value, TTL), isStored, `step ${at}`);
    assert.deepEqual([await one.number("a"), await other.number("a")], [2 ** 53 - 1, 2 ** 53 - 1]);
  },
  "exactly one of many concurrent calls raises a number to a value": async ({ views }) => {
    const raised = Array.from({ length: 20 }, async (_, at) =>
      views[at % 2 === 0 ? 0 : 1].raise("a", 3, TTL),
    );
    assert.equal((await Promise.all(raised)).filter(Boolean).length, 1);
  },
  "a number is kept for the longest requested time": async ({ views: [one, other], advance }) => {
    await one.raise("a", 1, 6000);
    await other.raise("a", 2, 500);
    await advance(2500);
    assert.equal(await one.number("a"), 2);
  },
};

/** The requirements of `SessionStore`. */
export const sessionStoreContract: PortContract<SessionStoreFixture> = portContract("session store", facts);
