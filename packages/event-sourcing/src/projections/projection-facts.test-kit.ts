import assert from "node:assert/strict";
import { waitFor } from "@framework/testing";
import type { EventStoreFixture } from "../contract/store-fixture.ts";
import { errorOf, same } from "../contract/store-fixture.ts";
import { Borrowed, Extended, loanTypes, Returned } from "../loan.test-kit.ts";
import { appendLoans, foldedRows, longTimeout, POISON, shelf, shelfRows } from "./shelf.test-kit.ts";

type Facts = Readonly<Record<string, (fixture: EventStoreFixture) => Promise<void>>>;

const events = loanTypes;

/** Contract tests for views, which run on every database. */
export const projectionFacts: Facts = {
  "an asynchronous view equals a fold of all events, including events before its first start": async ({
    open,
    db,
  }) => {
    const before = await open({ events });
    await appendLoans(before, 20);
    const store = await open({ events, projections: [shelf()] });
    const position = await appendLoans(store, 40, 7, 20);
    assert.equal(await store.waitFor(position, longTimeout), true);
    same(await shelfRows(db), await foldedRows(store));
  },
  "several shards build the same view": async ({ open, db }) => {
    const store = await open({ events, projections: [shelf({ shards: 4, batchSize: 3 })] });
    const position = await appendLoans(store, 60, 9);
    assert.equal(await store.waitFor(position, longTimeout), true);
    same(await shelfRows(db), await foldedRows(store));
    const shards = await db.query("SELECT position FROM framework_projection_shards");
    assert.equal(shards.length, 4);
  },
  "two owners share the shards, and no event is applied twice when one stops": async ({ open, db }) => {
    const projections = [shelf({ shards: 4, batchSize: 2 })];
    const [one, other] = [await open({ events, projections }), await open({ events, projections })];
    const owned = () =>
      db.query<{ lanes: number }>`SELECT count(*) AS lanes FROM framework_leases
        WHERE kind = 'projection shelf 1' AND owner IS NOT NULL GROUP BY owner`;
    await waitFor(async () => (await owned()).map(({ lanes }) => lanes).join() === "2,2");
    await appendLoans(one, 40, 9);
    const closing = one.close();
    const position = await appendLoans(other, 40, 9, 40);
    await closing;
    assert.equal(await other.waitFor(position, longTimeout), true);
    same(await shelfRows(db), await foldedRows(other));
  },
  "an inline view is updated and rolled back with the append": async ({ open, db }) => {
    const store = await open({ events, projections: [shelf({ inline: true })] });
    const { position } = await store.append("loan-1", Borrowed({ member: "ann" }));
    same(await shelfRows(db), [{ stream: "loan-1", member: "ann", days: 0, applied: 1 }]);
    assert.equal(await store.waitFor(position, { timeoutMs: 0 }), true);
    const rollback = db.transaction(async (tx) => {
      await store.append("loan-1", Returned({}), { tx });
      throw new Error("undone");
    });
    assert.equal((await errorOf(rollback)).message, "undone");
    await store.appendMany(["loan-1", "loan-2"].map((stream) => ({ stream, events: Extended({ days: 2 }) })));
    same(await shelfRows(db), await foldedRows(store));
  },
  "an inline view that fails refuses the append, even if the program catches the error in its transaction":
    async ({ open, db }) => {
      const store = await open({ events, projections: [shelf({ inline: true })] });
      assert.equal((await errorOf(store.append("loan-1", Borrowed({ member: POISON })))).message, "poison");
      await db.transaction(async (tx) => {
        await store.append("loan-1", Borrowed({ member: POISON }), { tx }).catch(() => {});
        await store.append("loan-1", Borrowed({ member: "ann" }), { tx });
      });
      same(await shelfRows(db), [{ stream: "loan-1", member: "ann", days: 0, applied: 1 }]);
      same(await shelfRows(db), await foldedRows(store));
    },
  "a repeated append updates an inline view once": async ({ open, db }) => {
    const store = await open({ events, projections: [shelf({ inline: true })] });
    const event = { ...Borrowed({ member: "ann" }), id: "id-1" };
    for (let times = 0; times < 2; times++) await store.append("loan-1", event);
    same(await shelfRows(db), [{ stream: "loan-1", member: "ann", days: 0, applied: 1 }]);
  },
  "an inline view reads the existing events, then follows appends without missing any": async ({
    open,
    db,
  }) => {
    await appendLoans(await open({ events }), 30);
    const store = await open({ events, projections: [shelf({ inline: true, batchSize: 4 })] });
    const position = await appendLoans(store, 30, 5, 30);
    assert.equal(await store.waitFor(position, longTimeout), true);
    same(await shelfRows(db), await foldedRows(store));
  },
  "waitFor resolves to false if a view lags at its timeout, and rejects bad arguments": async ({ open }) => {
    const store = await open({ events, projections: [shelf({ onError: "stop" })] });
    const { position } = await store.append("loan-1", Borrowed({ member: POISON }));
    assert.equal(await store.waitFor(position, { timeoutMs: 1 }), false);
    assert.equal((await errorOf(store.waitFor("nonsense"))).code, "EVENTS_BAD_POSITION");
    const unknown = store.waitFor(position, { projections: ["other"] });
    assert.equal((await errorOf(unknown)).code, "EVENTS_UNKNOWN_PROJECTION");
  },
};
