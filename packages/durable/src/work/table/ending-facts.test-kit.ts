import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import type { ClaimedRow } from "./claiming.ts";
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

/** Contract of the end of items, and the order of keys. */
export const endingFacts: PortFacts<WorkFixture> = {
  "every write of an outdated owner is refused": async ({ store, clock }) => {
    await add(store, row("a"));
    const old = await claimOne(store, "old");
    await clock.advance(LEASE_MS);
    same(await store.leasing.takeExpired(), ["mail"]);
    const { settling, leasing } = store;
    const refused = async (): Promise<void> => {
      same(ids(await settling.remove([old])), []);
      same(ids(await settling.settle([{ ...old, state: "done" }])), []);
      same(ids(await settling.settle([{ ...old, state: "waiting", delayMs: 5 }])), []);
      same(ids(await settling.progress([{ ...old, progress: "1" }])), []);
      same(ids(await leasing.renew([old], LEASE_MS)), []);
    };
    await refused();
    const taken = await claimOne(store, "new");
    assert.equal(taken.attempts, 2);
    await refused();
    same(ids(await settling.settle([{ ...taken, state: "done", result: "7" }])), [taken.id]);
    await refused();
    const stored = await store.reading.get("mail", taken.id);
    same([stored?.state, stored?.result, stored?.progress], ["done", "7", null]);
  },

  "a renewal extends a lease by its full duration": async ({ store, clock }) => {
    await add(store, row("a"));
    const held = await claimOne(store);
    await clock.advance(LEASE_MS - 1);
    same(ids(await store.leasing.renew([held], LEASE_MS)), [held.id]);
    await clock.advance(LEASE_MS - 1);
    same(await store.leasing.takeExpired(), []);
    assert.equal((await store.leasing.pollOnce([])).endsInMs, 1);
    await clock.advance(1);
    same(await store.leasing.takeExpired(), ["mail"]);
  },

  "the items of ended owners are ready at once, and the items of others stay leased": async ({ store }) => {
    await add(store, row("a"), row("b"));
    await claimOne(store, "gone");
    await claimOne(store, "alive");
    same(await store.leasing.takeFrom(["gone", "unknown"]), ["mail"]);
    same(names(await claim(store)), ["a"]);
  },

  "an item can be settled for another attempt, with or without counting the last one": async ({
    store,
    clock,
  }) => {
    await add(store, row("a"));
    const first = await claimOne(store);
    await store.settling.settle([{ ...first, state: "waiting", delayMs: 100, error: '{"message":"no"}' }]);
    same(await claim(store), []);
    await clock.advance(100);
    await store.leasing.wake();
    const second = await claimOne(store);
    same([second.attempts, (await store.reading.get("mail", second.id))?.error], [2, '{"message":"no"}']);
    await store.settling.settle([{ ...second, state: "ready", attemptsBack: 1 }]);
    assert.equal((await claimOne(store)).attempts, 2);
  },

  "an attempt from before a failover to an older copy of the database can end neither its item nor another one with the same id":
    async ({ db, store }) => {
      await add(store, row("a"));
      const before = await claimOne(store);
      await db.execute(
        "UPDATE framework_work SET state = 'ready', owner = NULL, wake_at = NULL, attempts = 0, fence = 0", // as it was added
      );
      const after = await claimOne(store);
      assert.equal(after.id, before.id);
      same(ids(await store.settling.settle([{ ...before, state: "done" }])), []);
      same(ids(await store.settling.remove([before])), []);
      same(ids(await store.leasing.renew([before], LEASE_MS)), []);
      same(ids(await store.settling.settle([{ ...after, state: "done" }])), [after.id]);
    },

  "one call settles many items, each with its own outcome; an outdated claim settles nothing": async ({
    store,
  }) => {
    await add(store, row("a"), row("b"), row("c"));
    const [a, b, c] = (await claim(store)) as [ClaimedRow, ClaimedRow, ClaimedRow];
    const settled = await store.settling.settle([
      { ...a, state: "done", result: "1" },
      { ...b, state: "failed", error: '{"message":"no"}' },
      { ...c, fence: c.fence - 1, state: "done" },
    ]);
    same(
      ids(settled).toSorted((x, y) => x - y),
      [a.id, b.id],
    );
    const states = await store.reading.list({ queue: "mail", state: null, key: null, after: 0, limit: 10 });
    same(
      states.map(({ state }) => state),
      ["done", "failed", "running"],
    );
  },

  "items of a key run one at a time, in the order in which they were added": async ({ store }) => {
    await add(store, row("a1", { key: "a" }), row("a2", { key: "a" }), row("b1", { key: "b" }), row("x"));
    const claimed = await claim(store);
    same(names(claimed), ["a1", "b1", "x"]);
    same(await claim(store), []);
    await store.settling.remove(claimed.filter(({ key }) => key === "a"));
    same(names(await claim(store)), ["a2"]);
  },

  "an item that waits for another attempt keeps its key": async ({ store, clock }) => {
    await add(store, row("a1", { key: "a" }), row("a2", { key: "a", priority: 9 }));
    const first = await claimOne(store);
    await store.settling.settle([{ ...first, state: "waiting", delayMs: 1000 }]);
    same(await claim(store), []);
    await clock.advance(1000);
    await store.leasing.wake();
    same(names(await claim(store)), ["a1"]);
  },

  "an item that is committed late does not run concurrently with a later item of its key": async ({
    store,
    db,
  }) => {
    await add(store, row("a1", { key: "a" }), row("a2", { key: "a" }));
    await db.execute("UPDATE framework_work SET key = 'hidden' WHERE payload = '\"a1\"'");
    await claim(store, 10);
    await store.leasing.takeFrom(["me"]);
    await db.execute("UPDATE framework_work SET state = 'running', owner = 'other' WHERE payload = '\"a2\"'");
    await db.execute("UPDATE framework_work SET key = 'a' WHERE payload = '\"a1\"'");
    same(await claim(store), []);
    await assert.rejects(db.execute("UPDATE framework_work SET state = 'running' WHERE payload = '\"a1\"'"), {
      kind: "unique",
    });
  },

  "items blocked by a busy key are removed from the ready index, and unblock makes the next one claimable":
    async ({ store }) => {
      await add(store, ...[1, 2, 3].map((n) => row(`a${n}`, { key: "a" })), row("x"));
      const [first, other] = (await claim(store)) as [ClaimedRow, ClaimedRow];
      same(names([first, other]), ["a1", "x"]);
      assert.equal(await store.keyOrder.block("mail"), 2);
      assert.equal(await store.keyOrder.block("mail"), 0);
      same((await store.leasing.pollOnce(["mail"])).ready, []);
      await store.settling.remove([first]);
      assert.equal(await store.keyOrder.unblock("mail", ["a"]), true);
      const second = await claimOne(store);
      same(names([second]), ["a2"]);
      await store.settling.remove([second]);
      await store.keyOrder.unblock("mail", ["a", "a"]);
      same(names(await claim(store)), ["a3"]);
      assert.equal(await store.keyOrder.unblock("mail", ["a"]), false);
    },

  "heal unblocks items whose key is free, and no others": async ({ store, db }) => {
    await add(
      store,
      ...[1, 2].map((n) => row(`a${n}`, { key: "a" })),
      ...[1, 2].map((n) => row(`b${n}`, { key: "b" })),
    );
    await claim(store);
    assert.equal(await store.keyOrder.block("mail"), 2);
    same(await store.keyOrder.heal(), []);
    await db.execute("DELETE FROM framework_work WHERE payload = '\"a1\"'");
    same(await store.keyOrder.heal(), ["mail"]);
    same(names(await claim(store)), ["a2"]);
  },

  "heal unblocks an item even if a later item of its key is ready": async ({ store, db }) => {
    await add(store, row("a1", { key: "a" }), row("a2", { key: "a" }));
    await claim(store);
    assert.equal(await store.keyOrder.block("mail"), 1);
    await db.execute("DELETE FROM framework_work WHERE payload = '\"a1\"'");
    await add(store, row("a3", { key: "a" }));
    same(await claim(store), []);
    same(await store.keyOrder.heal(), ["mail"]);
    same(names(await claim(store)), ["a2"]);
  },
};
