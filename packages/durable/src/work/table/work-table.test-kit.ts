// The contract of the work table: the same facts on every database.
import assert from "node:assert/strict";
import { portContract, type PortContract } from "@framework/core/testing";
import { type Database, migrate } from "@framework/database";
import { groupCommit } from "../../group-commit/group-commit.ts";
import type { TestDatabase } from "../../testing/open-databases.test-kit.ts";
import { tableClock, type TableClock } from "../../testing/table-clock.ts";
import { type WorkStore, workStore } from "./work-store.ts";
import type { ClaimedRow } from "./claiming.ts";
import type { NewRow } from "./enqueueing.ts";
import { workTables } from "./work-tables.ts";

/** A work table on an empty database, with a clock that only the test advances. */
export interface WorkFixture extends AsyncDisposable {
  readonly db: Database;
  readonly store: WorkStore;
  readonly clock: TableClock;
}

/** Creates the table in an empty database. */
export const workFixture = async (database: TestDatabase): Promise<WorkFixture> => {
  const db = database.open();
  await migrate(db, { set: "durable-work", migrations: workTables });
  const clock = await tableClock(db);
  const store = workStore({ db, now: clock.now.text, transaction: groupCommit(db) });
  return { db, store, clock, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
};

const LEASE_MS = 15_000;

/** A row to add: its payload is its name. */
export const row = (name: string, parts: Partial<NewRow> = {}): NewRow => ({
  key: null,
  uniqueKey: null,
  priority: 0,
  delayMs: 0,
  runAt: null,
  payload: JSON.stringify(name),
  headers: null,
  ...parts,
});

const add = async ({ enqueueing }: WorkStore, ...rows: readonly NewRow[]): Promise<number[]> =>
  (await enqueueing.add("mail", rows)).map(({ id }) => id);

const claim = (store: WorkStore, limit = 10, owner = "me"): Promise<readonly ClaimedRow[]> =>
  store.claiming.claim({ queue: "mail", owner, limit, leaseMs: LEASE_MS });

const names = (rows: readonly ClaimedRow[]): string[] =>
  rows.map(({ payload }) => JSON.parse(payload) as string);

const one = async (store: WorkStore, owner = "me"): Promise<ClaimedRow> => {
  const [claimed] = await claim(store, 1, owner);
  assert.ok(claimed, "expected a ready item");
  return claimed;
};

/** Compares by structure: lists from the database come from outside of the test's realm. */
const same = (actual: unknown, expected: unknown): void =>
  assert.deepEqual(JSON.parse(JSON.stringify(actual)), expected);

const ids = (set: ReadonlySet<number>): number[] => Array.from(set);

export const workTableContract: PortContract<WorkFixture> = portContract<WorkFixture>("work table", {
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

  "a claimed item has the parts with which it was added": async ({ store, clock }) => {
    const [id] = await add(store, row("a", { key: "k", uniqueKey: "u", headers: '{"x":"1"}', priority: 3 }));
    const now = await clock.read();
    same(await one(store), {
      id,
      key: "k",
      priority: 3,
      payload: '"a"',
      headers: '{"x":"1"}',
      attempts: 1,
      fence: 1,
      run_at: now,
      created_at: now,
      wake_at: now + LEASE_MS,
    });
  },

  "a delayed item is claimed when it is due, not before": async ({ store, clock }) => {
    await add(store, row("later", { delayMs: 500 }), row("at", { runAt: (await clock.read()) + 300 }));
    same(await claim(store), []);
    assert.equal((await store.leasing.look([])).dueInMs, 300);
    await clock.advance(299);
    same(await store.leasing.wake(), []);
    await clock.advance(1);
    same(await store.leasing.wake(), ["mail"]);
    same(names(await claim(store)), ["at"]);
    await clock.advance(200);
    same(await store.leasing.wake(), ["mail"]);
    same(names(await claim(store)), ["later"]);
  },

  "a time in the past is due at once": async ({ store }) => {
    await add(store, row("late", { runAt: 0 }));
    same(names(await claim(store)), ["late"]);
  },

  "a unique key belongs to one unfinished item": async ({ store }) => {
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

  "callers that add the same unique keys in other orders all get the same items": async ({ db, store }) => {
    for (let round = 0; round < 5; round++) {
      const rows = Array.from({ length: 2000 }, (_, at) => row("a", { uniqueKey: `${at}`, delayMs: 1000 }));
      const [one, other] = await Promise.all([
        store.enqueueing.add("mail", rows),
        store.enqueueing.add("mail", rows.toReversed()),
      ]);
      const ids = ({ id }: { readonly id: number }): number => id;
      same(one.map(ids), other.map(ids).toReversed());
      const isNew = [...one, ...other].filter((each) => each.isNew);
      assert.equal(isNew.length, 2000);
      await db.execute("DELETE FROM framework_work");
    }
  },

  "a finished item frees its unique key": async ({ store }) => {
    await add(store, row("a", { uniqueKey: "u" }));
    const { id, fence } = await one(store);
    await store.settling.settle([{ id, fence, state: "done" }]);
    assert.equal((await store.enqueueing.add("mail", [row("b", { uniqueKey: "u" })]))[0]?.isNew, true);
  },

  "many items are added in their order by one statement": async ({ store }) => {
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

  "items added in a transaction are seen when it commits, and never when it does not": async ({
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

  "items end and the next ones are claimed in one turn": async ({ store }) => {
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
    const held = await one(store);
    same(ids(await store.settling.remove([held])), [id]);
    assert.equal(await store.reading.get("mail", id), null);
  },

  "every write of an outdated owner is refused": async ({ store, clock }) => {
    await add(store, row("a"));
    const old = await one(store, "old");
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
    const taken = await one(store, "new");
    assert.equal(taken.attempts, 2);
    await refused();
    same(ids(await settling.settle([{ ...taken, state: "done", result: "7" }])), [taken.id]);
    await refused();
    const stored = await store.reading.get("mail", taken.id);
    same([stored?.state, stored?.result, stored?.progress], ["done", "7", null]);
  },

  "a lease that is renewed does not end": async ({ store, clock }) => {
    await add(store, row("a"));
    const held = await one(store);
    await clock.advance(LEASE_MS - 1);
    same(ids(await store.leasing.renew([held], LEASE_MS)), [held.id]);
    await clock.advance(LEASE_MS - 1);
    same(await store.leasing.takeExpired(), []);
    assert.equal((await store.leasing.look([])).endsInMs, 1);
    await clock.advance(1);
    same(await store.leasing.takeExpired(), ["mail"]);
  },

  "the items of owners that are gone are ready at once, and those of others stay": async ({ store }) => {
    await add(store, row("a"), row("b"));
    await one(store, "gone");
    await one(store, "alive");
    same(await store.leasing.takeFrom(["gone", "unknown"]), ["mail"]);
    same(names(await claim(store)), ["a"]);
  },

  "an outcome can be another attempt, which counts or not": async ({ store, clock }) => {
    await add(store, row("a"));
    const first = await one(store);
    await store.settling.settle([{ ...first, state: "waiting", delayMs: 100, error: '{"message":"no"}' }]);
    same(await claim(store), []);
    await clock.advance(100);
    await store.leasing.wake();
    const second = await one(store);
    same([second.attempts, (await store.reading.get("mail", second.id))?.error], [2, '{"message":"no"}']);
    await store.settling.settle([{ ...second, state: "ready", attemptsBack: 1 }]);
    assert.equal((await one(store)).attempts, 2);
  },

  "outcomes of many items share one statement": async ({ store }) => {
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
    const first = await one(store);
    await store.settling.settle([{ ...first, state: "waiting", delayMs: 1000 }]);
    same(await claim(store), []);
    await clock.advance(1000);
    await store.leasing.wake();
    same(names(await claim(store)), ["a1"]);
  },

  "an item that is committed late does not run beside a later one of its key": async ({ store, db }) => {
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

  "items behind a busy key leave the queue, and each end of one brings the next back": async ({ store }) => {
    await add(store, ...[1, 2, 3].map((n) => row(`a${n}`, { key: "a" })), row("x"));
    const [first, other] = (await claim(store)) as [ClaimedRow, ClaimedRow];
    same(names([first, other]), ["a1", "x"]);
    assert.equal(await store.keyOrder.block("mail"), 2);
    assert.equal(await store.keyOrder.block("mail"), 0);
    same((await store.leasing.look(["mail"])).ready, []);
    await store.settling.remove([first]);
    assert.equal(await store.keyOrder.unblock("mail", ["a"]), true);
    const second = await one(store);
    same(names([second]), ["a2"]);
    await store.settling.remove([second]);
    await store.keyOrder.unblock("mail", ["a", "a"]);
    same(names(await claim(store)), ["a3"]);
    assert.equal(await store.keyOrder.unblock("mail", ["a"]), false);
  },

  "items that nothing brings back are healed, and those that wait rightly are not": async ({ store, db }) => {
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

  "an item that nothing brings back is healed although a later one of its key is ready": async ({
    store,
    db,
  }) => {
    await add(store, row("a1", { key: "a" }), row("a2", { key: "a" }));
    await claim(store);
    assert.equal(await store.keyOrder.block("mail"), 1);
    await db.execute("DELETE FROM framework_work WHERE payload = '\"a1\"'");
    await add(store, row("a3", { key: "a" }));
    same(await claim(store), []);
    same(await store.keyOrder.heal(), ["mail"]);
    same(names(await claim(store)), ["a2"]);
  },

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
    const held = await one(store);
    await store.stopping.cancel("mail", held.id);
    same(ids(await store.settling.settle([{ ...held, state: "done" }])), []);
    assert.equal((await store.reading.get("mail", held.id))?.state, "cancelled");
  },

  "a failed or cancelled item can be started again, a finished or unfinished one cannot": async ({
    store,
  }) => {
    await add(store, row("a", { uniqueKey: "u" }), row("b"), row("c"));
    const [a, b, c] = (await claim(store)) as [ClaimedRow, ClaimedRow, ClaimedRow];
    await store.settling.settle([
      { ...a, state: "failed" },
      { ...b, state: "done" },
    ]);
    assert.equal(await store.stopping.restart("mail", b.id), null);
    assert.equal(await store.stopping.restart("mail", c.id), null);
    assert.equal((await store.stopping.restart("mail", a.id))?.id, a.id);
    const again = await one(store);
    same([again.id, again.attempts], [a.id, 1]);
    await store.settling.settle([{ ...again, state: "failed" }]);
    await add(store, row("d", { uniqueKey: "u" }));
    assert.equal(await store.stopping.restart("mail", a.id), null);
  },

  "finished items are kept as long as they should, and removed in batches": async ({ store, clock }) => {
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

  "a look names the queues with ready items": async ({ store }) => {
    same(await store.leasing.look(["mail"]), { ready: [], dueInMs: null, endsInMs: null });
    await add(store, row("a"));
    same((await store.leasing.look(["mail", "other"])).ready, ["mail"]);
    same((await store.leasing.look(["other"])).ready, []);
    await claim(store);
    same(await store.leasing.look(["mail"]), { ready: [], dueInMs: null, endsInMs: LEASE_MS });
  },

  "two claims at once share the items without doubles": async ({ store }) => {
    await add(
      store,
      ...Array.from({ length: 60 }, (_, at) => row(`${at}`, { key: at % 3 === 0 ? `k${at % 4}` : null })),
    );
    const claims = await Promise.all(Array.from({ length: 12 }, (_, at) => claim(store, 5, `owner ${at}`)));
    const claimed = claims.flat();
    assert.equal(new Set(claimed.map(({ id }) => id)).size, claimed.length);
    const keys = claimed.flatMap(({ key }) => key ?? []);
    assert.equal(new Set(keys).size, keys.length);
  },
});
