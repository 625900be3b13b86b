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

/** Contract of cancelling, keeping, listing and counting items. */
export const readingFacts: PortFacts<WorkFixture> = {
  "a cancelled item does not run, and frees its keys": async ({ store }) => {
    const [id = 0] = await add(store, row("a1", { key: "a", uniqueKey: "u" }), row("a2", { key: "a" }));
    assert.equal((await store.stopping.cancel("mail", id))?.key, "a");
    assert.equal(await store.stopping.cancel("mail", id), null);
    assert.equal(await store.stopping.cancel("other", id + 1), null);
    same(names(await claim(store)), ["a2"]);
    assert.equal((await store.enqueueing.add("mail", [row("b", { uniqueKey: "u" })]))[0]?.isNew, true);
  },

  "the owner of a cancelled item cannot complete it": async ({ store }) => {
    await add(store, row("a"));
    const held = await claimOne(store);
    await store.stopping.cancel("mail", held.id);
    same(ids(await store.settling.settle([{ ...held, state: "done" }])), []);
    assert.equal((await store.reading.get("mail", held.id))?.state, "cancelled");
  },

  "few and many finished items are listed in the same order": async ({ store, db }) => {
    await add(store, ...Array.from({ length: 3 }, (_, at) => row(`${at}`)));
    for (const held of (await claim(store, 3)).toReversed())
      await store.settling.settle([{ ...held, state: "failed" }]);
    const failed = { queue: "mail", state: "failed", key: null } as const;
    const few = await store.reading.list({ ...failed, limit: 10 });
    const columns = "queue, priority, state, run_at, payload, created_at, finished_at";
    for (let at = 0; at < 9; at++)
      await db.execute(`INSERT INTO framework_work (${columns}) SELECT ${columns} FROM framework_work`);
    const idsOf = (rows: readonly { readonly id: number }[]): string => rows.map(({ id }) => id).join();
    assert.equal(idsOf(await store.reading.list({ ...failed, limit: 3 })), idsOf(few));
    const newest = await store.reading.list({ ...failed, order: "newest", limit: 1000 });
    assert.equal(newest.length, 1000);
    assert.equal(idsOf(newest), idsOf(newest.toSorted((one, other) => other.id - one.id)));
  },

  "a failed or cancelled item can be restarted unless its unique key is taken; a done or running item cannot":
    async ({ store }) => {
      await add(store, row("a", { uniqueKey: "u" }), row("b"), row("c"));
      const [a, b, c] = (await claim(store)) as [ClaimedRow, ClaimedRow, ClaimedRow];
      await store.settling.settle([
        { ...a, state: "failed" },
        { ...b, state: "done" },
      ]);
      assert.equal(await store.stopping.restart("mail", b.id), null);
      assert.equal(await store.stopping.restart("mail", c.id), null);
      assert.equal((await store.stopping.restart("mail", a.id))?.id, a.id);
      const again = await claimOne(store);
      same([again.id, again.attempts], [a.id, 1]);
      await store.settling.settle([{ ...again, state: "failed" }]);
      await add(store, row("d", { uniqueKey: "u" }));
      assert.equal(await store.stopping.restart("mail", a.id), null);
      await store.stopping.cancel("mail", c.id);
      assert.equal((await store.stopping.restart("mail", c.id))?.id, c.id);
    },

  "finished items are removed after their retention, in batches": async ({ store, clock }) => {
    await add(store, row("a"), row("b"), row("c"), row("d"));
    const [a, b, c] = (await claim(store, 3)) as [ClaimedRow, ClaimedRow, ClaimedRow];
    await store.settling.settle([
      { ...a, state: "done" },
      { ...b, state: "done" },
      { ...c, state: "failed" },
    ]);
    const prune = () => store.stopping.prune([{ queue: "mail", state: "done", keepMs: 1000 }], 1);
    await clock.advance(999);
    assert.equal(await prune(), 0);
    await clock.advance(1);
    same([await prune(), await prune(), await prune()], [1, 1, 0]);
    const left = await store.reading.list({ queue: "mail", state: null, key: null, after: 0, limit: 10 });
    same(
      left.map(({ state }) => state),
      ["failed", "ready"],
    );
  },

  "items are listed by state and key, page by page": async ({ store }) => {
    const added = await add(
      store,
      ...[1, 2, 3, 4].map((n) => row(`${n}`, { key: n % 2 === 0 ? "even" : null })),
    );
    const list = (parts: object) =>
      store.reading.list({ queue: "mail", state: null, key: null, after: 0, limit: 2, ...parts });
    same(
      (await list({})).map(({ id }) => id),
      added.slice(0, 2),
    );
    same(
      (await list({ after: added[1] })).map(({ id }) => id),
      added.slice(2),
    );
    same(
      (await list({ key: "even" })).map(({ id }) => id),
      [added[1], added[3]],
    );
    same(await list({ state: "done" }), []);
  },

  "unfinished items are counted, with the age of the oldest ready one": async ({ store, clock }) => {
    await add(store, row("old", { priority: -100 }), row("late", { delayMs: 9000 }));
    await clock.advance(700);
    await add(store, row("new", { priority: 100 }), row("newer"));
    await claim(store, 1);
    same(await store.reading.count("mail", 100), {
      counts: { ready: 2, waiting: 1, blocked: 0, running: 1 },
      oldestReadyMs: 700,
    });
    assert.equal((await store.reading.count("mail", 1)).counts["ready"], 1);
    same(await store.reading.count("none", 5), {
      counts: { ready: 0, waiting: 0, blocked: 0, running: 0 },
      oldestReadyMs: null,
    });
  },

  "a poll returns the queues with ready items": async ({ store }) => {
    same(await store.leasing.pollOnce(["mail"]), { ready: [], dueInMs: null, endsInMs: null });
    await add(store, row("a"));
    same((await store.leasing.pollOnce(["mail", "other"])).ready, ["mail"]);
    same((await store.leasing.pollOnce(["other"])).ready, []);
    await claim(store);
    same(await store.leasing.pollOnce(["mail"]), { ready: [], dueInMs: null, endsInMs: LEASE_MS });
  },

  "concurrent claims get different items, of different keys": async ({ store }) => {
    await add(
      store,
      ...Array.from({ length: 60 }, (_, at) => row(`${at}`, { key: at % 3 === 0 ? `k${at % 4}` : null })),
    );
    const claims = await Promise.all(Array.from({ length: 12 }, (_, at) => claim(store, 5, `owner ${at}`)));
    const claimed = claims.flat();
    assert.ok(claimed.length > 0);
    assert.equal(new Set(claimed.map(({ id }) => id)).size, claimed.length);
    const keys = claimed.flatMap(({ key }) => key ?? []);
    assert.equal(new Set(keys).size, keys.length);
  },
};
