import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import {
  add,
  claim,
  ids,
  LEASE_MS,
  names,
  claimOne,
  row,
  same,
  type WorkFixture,
} from "./work-fixture.test-kit.ts";

/** Contract of adding and claiming items. */
export const addingFacts: PortFacts<WorkFixture> = {
  "items are claimed by priority, and then in the order in which they were added": async ({ store }) => {
    await add(store, row("b"), row("c"), row("z", { priority: -1 }), row("a", { priority: 5 }));
    same(names(await claim(store)), ["a", "b", "c", "z"]);
    same(await claim(store), []);
  },

  "a claim never takes more than its limit": async ({ store }) => {
    await add(store, row("a"), row("b"), row("c"));
    same(names(await claim(store, 2)), ["a", "b"]);
    same(names(await claim(store, 2)), ["c"]);
  },

  "queues are separate": async ({ store }) => {
    await store.enqueueing.add("other", [row("theirs")]);
    await add(store, row("mine"));
    same(names(await claim(store)), ["mine"]);
  },

  "a claimed item has the values with which it was added": async ({ store, clock }) => {
    const [id] = await add(store, row("a", { key: "k", uniqueKey: "u", headers: '{"x":"1"}', priority: 3 }));
    const now = await clock.read();
    const { fence, ...claimed } = await claimOne(store);
    assert.ok(Number.isSafeInteger(fence));
    same(claimed, {
      id,
      key: "k",
      priority: 3,
      payload: '"a"',
      headers: '{"x":"1"}',
      attempts: 1,
      run_at: now,
      created_at: now,
      wake_at: now + LEASE_MS,
    });
  },

  "a delayed item is claimed when it is due, not before": async ({ store, clock }) => {
    await add(store, row("later", { delayMs: 500 }), row("at", { runAt: (await clock.read()) + 300 }));
    same(await claim(store), []);
    assert.equal((await store.leasing.pollOnce([])).dueInMs, 300);
    await clock.advance(299);
    same(await store.leasing.wake(), []);
    await clock.advance(1);
    same(await store.leasing.wake(), ["mail"]);
    same(names(await claim(store)), ["at"]);
    await clock.advance(200);
    same(await store.leasing.wake(), ["mail"]);
    same(names(await claim(store)), ["later"]);
  },

  "an item whose runAt is in the past is due at once": async ({ store }) => {
    await add(store, row("late", { runAt: 0 }));
    same(names(await claim(store)), ["late"]);
  },

  "a unique key belongs to one unfinished item of a queue": async ({ store }) => {
    const [first] = await store.enqueueing.add("mail", [row("a", { uniqueKey: "u" })]);
    const again = await store.enqueueing.add("mail", [
      row("b", { uniqueKey: "u" }),
      row("c"),
      row("d", { uniqueKey: "v" }),
      row("e", { uniqueKey: "v" }),
    ]);
    same(
      again.map(({ isNew }) => isNew),
      [false, true, true, false],
    );
    assert.equal(again[0]?.id, first?.id);
    assert.equal(again[3]?.id, again[2]?.id);
    same(names(await claim(store)), ["a", "c", "d"]);
    assert.equal((await store.enqueueing.add("other", [row("f", { uniqueKey: "u" })]))[0]?.isNew, true);
  },

  "callers that add the same unique keys in different orders all get the same items": async ({
    db,
    store,
  }) => {
    for (let round = 0; round < 5; round++) {
      const rows = Array.from({ length: 2000 }, (_, at) => row("a", { uniqueKey: `${at}`, delayMs: 1000 }));
      const [one, other] = await Promise.all([
        store.enqueueing.add("mail", rows),
        store.enqueueing.add("mail", rows.toReversed()),
      ]);
      const ids = ({ id }: { readonly id: number }): number => id;
      same(one.map(ids), other.map(ids).toReversed());
      const added = [...one, ...other].filter(({ isNew }) => isNew);
      assert.equal(added.length, 2000);
      await db.execute("DELETE FROM framework_work");
    }
  },

  "a finished item frees its unique key": async ({ store }) => {
    await add(store, row("a", { uniqueKey: "u" }));
    const { id, fence } = await claimOne(store);
    await store.settling.settle([{ id, fence, state: "done" }]);
    assert.equal((await store.enqueueing.add("mail", [row("b", { uniqueKey: "u" })]))[0]?.isNew, true);
  },

  "one call adds many items in their order": async ({ store }) => {
    const added = await add(store, ...Array.from({ length: 500 }, (_, at) => row(`${at}`)));
    same(
      added,
      added.toSorted((a, b) => a - b),
    );
    same(
      names(await claim(store, 500)),
      Array.from({ length: 500 }, (_, at) => `${at}`),
    );
  },

  "hostile text is stored unchanged": async ({ store }) => {
    const hostile = [
      "'; DROP TABLE framework_work; --",
      '"',
      "\\",
      "$1",
      "{}",
      "\u{1F600}\u0301",
      "\0",
      "\ud800",
    ];
    await add(store, ...hostile.map((text) => row(text)));
    same(names(await claim(store)), hostile);
  },

  "items added in a transaction are visible after the commit, and never after a rollback": async ({
    db,
    store,
  }) => {
    await db.transaction(async (tx) => {
      await store.enqueueing.add("mail", [row("a")], tx);
    });
    await assert.rejects(
      db.transaction(async (tx) => {
        await store.enqueueing.add("mail", [row("b")], tx);
        throw new Error("undo");
      }),
    );
    same(names(await claim(store)), ["a"]);
  },

  "one call ends items and claims the next ones; an outdated claim ends nothing": async ({ store }) => {
    await add(store, row("a"), row("b"), row("c"), row("d", { priority: -1 }), row("e", { priority: -2 }));
    const [a, b] = await claim(store, 2);
    assert.ok(a && b);
    const next = { queue: "mail", owner: "me", limit: 1, leaseMs: LEASE_MS };
    const outdated = { id: b.id, fence: b.fence - 1 };
    const first = await store.turnover.run({ remove: [outdated, a] }, next);
    same([ids(first.held), names(first.claimed)], [[a.id], ["c"]]);
    assert.equal(await store.reading.get("mail", a.id), null);
    const [c] = first.claimed;
    assert.ok(c);
    const settle = [c, b].map(
      ({ id, fence }, at) => ({ id, fence, state: "done", result: `${at}` }) as const,
    );
    const second = await store.turnover.run({ settle }, { ...next, limit: 5 });
    same(
      [ids(second.held).toSorted((x, y) => x - y), names(second.claimed)],
      [
        [b.id, c.id],
        ["d", "e"],
      ],
    );
    assert.equal((await store.reading.get("mail", c.id))?.result, "0");
    assert.equal((await store.reading.get("mail", b.id))?.result, "1");
  },

  "an item that is removed by its owner is gone": async ({ store }) => {
    const [id = 0] = await add(store, row("a"));
    const held = await claimOne(store);
    same(ids(await store.settling.remove([held])), [id]);
    assert.equal(await store.reading.get("mail", id), null);
  },
};
