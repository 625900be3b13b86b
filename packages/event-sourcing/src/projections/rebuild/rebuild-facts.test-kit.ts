import assert from "node:assert/strict";
import { waitFor } from "@framework/testing";
import { errorOf, type EventStoreFixture, same } from "../../contract/store-fixture.ts";
import { loanTypes } from "../../loan.test-kit.ts";
import { appendLoans, foldedRows, longTimeout, shelf, shelfRows } from "../shelf.test-kit.ts";

const events = loanTypes;

/** Contract tests for new versions of a projection. */
export const rebuildFacts: Readonly<Record<string, (fixture: EventStoreFixture) => Promise<void>>> = {
  "a new version is built while the old one is live and appends continue, then replaces it": async ({
    open,
    db,
  }) => {
    const first = await open({ events, projections: [shelf()] });
    await first.waitFor(await appendLoans(first, 60), longTimeout);
    await first.close();
    const store = await open({ events, projections: [shelf(), shelf({ version: 2, batchSize: 5 })] });
    const versions = async () =>
      (await store.projections.status()).map(({ version, status }) => `${version} ${status}`).join();
    let appended = 60;
    const rowCounts: number[] = [];
    await waitFor(async () => {
      await appendLoans(store, 2, 5, appended);
      appended += 2;
      rowCounts.push((await shelfRows(db)).length);
      return (await versions()) === "1 retired,2 live";
    });
    assert.ok(!rowCounts.includes(0), "the view was empty");
    const position = await appendLoans(store, 10, 5, appended);
    assert.equal(await store.waitFor(position, longTimeout), true);
    same(await shelfRows(db), await foldedRows(store));
    same(await shelfRows(db, "shelf_v2"), await shelfRows(db));
    const [, live] = await store.projections.status();
    same([live?.progress, live?.etaSecs, live?.lagSecs], [1, 0, 0]);
  },
  "at most an eighth of the connections, but at least one, builds concurrently": async ({ open, db }) => {
    const first = await open({ events, projections: [shelf()] });
    await first.waitFor(await appendLoans(first, 40, 9), longTimeout);
    await first.close();
    let building = 0;
    let maxBuilding = 0;
    const { apply } = shelf();
    const watched = shelf({
      version: 2,
      shards: 8,
      batchSize: 2,
      apply: async (tx, given, context) => {
        maxBuilding = Math.max(maxBuilding, ++building);
        await apply(tx, given, context).finally(() => building--);
      },
    });
    const store = await open({ events, projections: [watched] });
    await waitFor(async () => (await store.projections.status())[1]?.status === "live");
    same(await shelfRows(db), await foldedRows(store));
    assert.ok(
      maxBuilding >= 1 && maxBuilding <= Math.max(1, db.maxTransactions / 8),
      `${maxBuilding} concurrent builds`,
    );
  },
  "a version with autoLive: false waits until the program makes it live": async ({ open, db }) => {
    const first = await open({ events, projections: [shelf()] });
    await first.waitFor(await appendLoans(first, 10), longTimeout);
    await first.close();
    const store = await open({ events, projections: [shelf({ version: 2, autoLive: false })] });
    await waitFor(async () => (await store.projections.status())[1]?.progress === 1);
    assert.equal((await store.projections.status())[1]?.status, "building");
    assert.equal(await store.projections.goLive("shelf"), true);
    assert.equal(await store.projections.goLive("shelf"), false); // already live
    same(await shelfRows(db), await foldedRows(store));
  },
  "a cancelled build drops its tables, and can be restarted": async ({ open, db }) => {
    const first = await open({ events, projections: [shelf()] });
    await first.waitFor(await appendLoans(first, 10), longTimeout);
    await first.close();
    const store = await open({ events, projections: [shelf(), shelf({ version: 2, autoLive: false })] });
    assert.equal(await store.projections.cancel("shelf"), true);
    assert.equal(await store.projections.cancel("shelf"), false);
    assert.ok((await errorOf(shelfRows(db, "shelf_v2"))) instanceof Error);
    assert.equal(await store.waitFor(await appendLoans(store, 5, 5, 10), longTimeout), true); // the live version continues
    assert.equal(await store.projections.rebuild("shelf"), true);
    assert.equal(await store.projections.rebuild("shelf"), false);
    await waitFor(async () => await store.projections.goLive("shelf"));
    same(await shelfRows(db), await foldedRows(store));
  },
  "the tables of a replaced version are dropped after keepRetiredSecs": async ({ open, db }) => {
    const first = await open({ events, projections: [shelf()] });
    await first.waitFor(await appendLoans(first, 10), longTimeout);
    await first.close();
    const second = await open({ events, projections: [shelf({ version: 2, keepRetiredSecs: 0 })] });
    await waitFor(async () => (await second.projections.status()).some(({ status }) => status === "retired"));
    await second.close();
    const third = await open({ events, projections: [shelf({ version: 2, keepRetiredSecs: 0 })] });
    await waitFor(async () => (await third.projections.status()).length === 1);
    assert.ok((await errorOf(shelfRows(db, "shelf_v1"))) instanceof Error);
    same(await shelfRows(db), await foldedRows(third));
  },
  "a new version of an inline view reads the existing events, then replaces the old one": async ({
    open,
    db,
  }) => {
    const old = await open({ events, projections: [shelf({ inline: true })] });
    await appendLoans(old, 20);
    const both = [shelf({ inline: true }), shelf({ inline: true, version: 2, batchSize: 4 })];
    const store = await open({ events, projections: both });
    let appended = 20;
    const outdated: unknown[] = [];
    await waitFor(async () => {
      await appendLoans(store, 1, 5, appended++);
      const [shown, folded] = [await shelfRows(db), await foldedRows(store)];
      if (JSON.stringify(shown) !== JSON.stringify(folded)) outdated.push(shown); // before and after the switch
      return (await store.projections.status())[1]?.status === "live";
    });
    same(outdated, []);
    assert.equal((await errorOf(appendLoans(old, 1))).code, "EVENTS_OUTDATED");
    await appendLoans(store, 5, 5, appended);
    same(await shelfRows(db), await foldedRows(store));
  },
  "when a later version goes live, an earlier one that is being built is retired with the live one": async ({
    open,
    db,
  }) => {
    const versions = [1, 2, 3].map((version) => shelf({ version, autoLive: false, keepRetiredSecs: 0 }));
    const first = await open({ events, projections: versions.slice(0, 1) });
    await first.waitFor(await appendLoans(first, 10), longTimeout);
    await first.close();
    const store = await open({ events, projections: versions });
    await waitFor(async () => await store.projections.goLive("shelf"));
    const states = (await store.projections.status()).map(({ status }) => status);
    same(states, ["retired", "retired", "live"]);
    await store.close();
    const later = await open({ events, projections: versions });
    await waitFor(async () => (await later.projections.status()).length === 1); // their tables are dropped
    same(await shelfRows(db), await foldedRows(later));
  },
  "a version other than the highest is cancelled, restarted and made live by its number": async ({
    open,
  }) => {
    const versions = [1, 2, 3].map((version) => shelf({ version, autoLive: false }));
    const first = await open({ events, projections: versions.slice(0, 1) });
    await first.waitFor(await appendLoans(first, 10), longTimeout);
    await first.close();
    const { projections } = await open({ events, projections: versions });
    const states = async () => (await projections.status()).map(({ status }) => status);
    assert.equal(await projections.cancel("shelf", 2), true);
    same(await states(), ["live", "cancelled", "building"]);
    assert.equal(await projections.cancel("shelf", 2), false);
    assert.equal(await projections.rebuild("shelf", 2), true);
    same(await states(), ["live", "building", "building"]);
    await waitFor(async () => await projections.goLive("shelf", 2));
    same(await states(), ["retired", "live", "building"]);
    const unknown = await errorOf(projections.rebuild("shelf", 4));
    assert.equal(unknown.code, "EVENTS_UNKNOWN_PROJECTION");
    assert.match(unknown.message, /version 4 of shelf/);
  },
  "a cancelled version cannot be restarted once a later one is live": async ({ open }) => {
    const versions = [1, 2, 3].map((version) => shelf({ version, autoLive: false }));
    const first = await open({ events, projections: versions.slice(0, 1) });
    await first.close();
    const { projections } = await open({ events, projections: versions });
    assert.equal(await projections.cancel("shelf", 2), true);
    await waitFor(async () => await projections.goLive("shelf"));
    assert.equal(await projections.rebuild("shelf", 2), false);
  },
  "a changed definition with an existing version is refused": async ({ open }) => {
    await open({ events, projections: [shelf()] });
    const error = await errorOf(open({ events, projections: [shelf({ shards: 2 })] }));
    assert.equal(error.code, "EVENTS_BAD_PROJECTION");
    assert.match(error.message, /raise `version`/);
  },
};
