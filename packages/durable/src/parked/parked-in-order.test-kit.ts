import { expect, type test as jestTest } from "@jest/globals";
import type { Database, Transaction } from "@framework/database";
import { createKernel, failureOf, type NewParked, type ParkedDetails } from "../feature.ts";
import type { TestDatabase } from "../testing/open-databases.test-kit.ts";

const origin = { source: "letters", name: "outbox" };
const failure = failureOf(new Error("no"));

const newItem = (key: string, payload: string, given: Partial<NewParked> = {}): NewParked => ({
  ...origin,
  key,
  lane: 3,
  payload: JSON.stringify(payload),
  headers: null,
  detail: null,
  failure,
  attempts: 2,
  firstAt: 1,
  ...given,
});
const blocked = { failure: null, attempts: 0 };

/** A kernel with an ordered source, and the owner of its lane 3. */
const open = async (db: Database) => {
  const replayCalls: string[] = [];
  const kernel = createKernel(db, { config: { runWork: false }, log: { info() {}, warn() {}, error() {} } });
  kernel.parked.add({
    source: origin.source,
    isOrdered: true,
    replay: async (_tx, { payload }) => void replayCalls.push(String(payload)),
    load: async ({ payload }) => `the letter ${String(payload)}`,
  });
  await kernel.start();
  const { parked } = kernel;
  const park = (...letters: readonly NewParked[]): Promise<void> =>
    db.transaction(async (tx) => {
      for (const each of letters) await parked.park(tx, each);
    });
  /** Passes the next item of the lane to `end`. */
  const take = (end: (tx: Transaction, item: ParkedDetails) => Promise<unknown>): Promise<unknown> =>
    db.transaction(async (tx) => {
      const item = await parked.inOrder.next(tx, origin, 3);
      if (item === null) return null;
      return [item.payload, await end(tx, item)];
    });
  const deliver = (): Promise<unknown> => take((tx, item) => parked.inOrder.markReplayed(tx, item));
  const fail = (): Promise<unknown> =>
    take(async (tx, item) => await parked.inOrder.parkAgain(tx, item, failureOf(new TypeError("again"))));
  const states = async (): Promise<readonly string[]> => {
    const rows = await db.query<{ payload: string; state: string }>(
      "SELECT payload, state FROM framework_parked ORDER BY id",
    );
    return Array.from(rows, ({ payload, state }) => `${JSON.parse(payload) as string} ${state}`);
  };
  const ids = async (): Promise<readonly string[]> =>
    (await parked.list({ ...origin })).items.map(({ id }) => id);
  return { kernel, parked, replayCalls, park, deliver, fail, states, ids };
};

/** Declares the tests of ordered parked work, which run on every database. */
export const parkedInOrder = (test: typeof jestTest, make: () => Promise<TestDatabase>): void => {
  const fact = (name: string, run: (db: Database) => Promise<void>): void =>
    test(name, async () => {
      await using database = await make();
      await run(database.open());
    });

  fact("a key is held while an item of it is parked or replaying", async (db) => {
    const { kernel, parked, park, deliver, ids } = await open(db);
    await park(newItem("a", "a1"), newItem("b", "b1"));
    const held = async (): Promise<unknown> =>
      Object.fromEntries(await parked.inOrder.heldKeys(db, origin, ["a", "b", "c"]));
    expect(await held()).toEqual({ a: "parked", b: "parked" });
    expect(await parked.inOrder.heldKeys(db, { ...origin, name: "other" }, ["a"])).toEqual(new Map());
    const [a = ""] = await ids();
    await parked.replay([a]);
    expect(await held()).toEqual({ a: "replaying", b: "parked" });
    expect(await parked.count()).toBe(2);
    await deliver();
    expect(await held()).toEqual({ b: "parked" });
    expect(await parked.inOrder.counts("letters")).toEqual(new Map([["outbox", 1]]));
    await kernel.stop();
  });

  fact(
    "blocked items are replayed in order after the item that blocks them; items of other keys and lanes are not",
    async (db) => {
      const { kernel, parked, replayCalls, park, deliver, states, ids } = await open(db);
      await park(newItem("a", "a1"), newItem("b", "b1"), newItem("a", "a2", blocked));
      await park(newItem("a", "a3", blocked), newItem("a", "other lane", { ...blocked, lane: 4, key: "z" }));
      const [a1 = "", , a2 = ""] = await ids();
      expect(await parked.replay([a2])).toEqual({
        replayed: 0,
        failed: [{ id: a2, reason: "an earlier item of its key is parked; replay or discard that" }],
      });
      expect(await parked.replay([a1, a2])).toEqual({ replayed: 2, failed: [] });
      expect(replayCalls).toEqual(["a1", "a2"]);
      await park(newItem("a", "a4", { ...blocked, state: "replaying" }), newItem("a", "a5", blocked)); // meanwhile
      for (const next of ["a1", "a2", "a3", "a4", "a5"]) expect(await deliver()).toEqual([next, true]);
      expect(await deliver()).toBeNull();
      expect(await states()).toEqual([
        "a1 replayed",
        "b1 parked",
        "a2 replayed",
        "a3 replayed",
        "other lane parked",
        "a4 replayed",
        "a5 replayed",
      ]);
      await kernel.stop();
    },
  );

  fact(
    "an item whose replay fails is parked again with the items that follow it, and the attempt counts",
    async (db) => {
      const { kernel, parked, park, deliver, fail, states, ids } = await open(db);
      await park(newItem("a", "a1"), newItem("a", "a2", blocked));
      const [a1 = ""] = await ids();
      await parked.replay([a1]);
      await fail();
      expect(await states()).toEqual(["a1 parked", "a2 parked"]);
      expect(await parked.inspect(a1)).toMatchObject({
        attempts: 3,
        errorClass: "TypeError",
        payload: "the letter a1",
      });
      expect(await deliver()).toBeNull();
      await kernel.stop();
    },
  );

  fact("an item discarded during its replay is not delivered, but later ones are", async (db) => {
    const { kernel, parked, park, deliver, states, ids } = await open(db);
    await park(newItem("a", "a1"), newItem("a", "a2", blocked));
    const [a1 = ""] = await ids();
    await parked.replay([a1]);
    const item = await parked.inOrder.next(db, origin, 3);
    expect(await parked.discard([a1], { note: "wrong" })).toBe(1);
    if (item === null) throw new Error("nothing is replaying");
    expect(await db.transaction((tx) => parked.inOrder.markReplayed(tx, item))).toBe(false);
    expect(await deliver()).toEqual(["a2", true]);
    expect(await states()).toEqual(["a1 discarded", "a2 replayed"]);
    await kernel.stop();
  });

  fact("discardAll discards all parked items of an origin, and no others", async (db) => {
    const { kernel, parked, park, states } = await open(db);
    await park(newItem("a", "a1"), newItem("a", "a2", blocked), newItem("a", "other", { name: "inbox" }));
    expect(await db.transaction((tx) => parked.inOrder.discardAll(tx, origin, "removed"))).toBe(2);
    expect(await states()).toEqual(["a1 discarded", "a2 discarded", "other parked"]);
    await kernel.stop();
  });
};
