import assert from "node:assert/strict";
import { waitFor } from "@framework/testing";
import { errorOf, type EventStoreFixture, same } from "../../contract/store-fixture.ts";
import type { OpenEventStore } from "../../index.ts";
import { Borrowed, Extended, loanTypes } from "../../loan.test-kit.ts";
import { appendLoans, foldedRows, longTimeout, POISON, shelf, shelfRows } from "../shelf.test-kit.ts";

const events = loanTypes;

const corrupt = ({ db }: EventStoreFixture): Promise<unknown> =>
  db.execute("UPDATE shelf_v1 SET days = 1000000, applied = 0");

/** Returns the streams whose row equals a fold of their events. */
const equalStreams = async ({ db }: EventStoreFixture, store: OpenEventStore): Promise<readonly string[]> => {
  const folded = new Map((await foldedRows(store)).map((row) => [row.stream, JSON.stringify(row)]));
  const rows = await shelfRows(db);
  return Array.from(rows).flatMap((row) =>
    folded.get(row.stream) === JSON.stringify(row) ? [row.stream] : [],
  );
};

/** Contract tests for `rebuildPart`. */
export const rebuildPartFacts: Readonly<Record<string, (fixture: EventStoreFixture) => Promise<void>>> = {
  "the rows of one stream are rebuilt, and the rest of the view is unchanged": async (fixture) => {
    const store = await fixture.open({ events, projections: [shelf({ shards: 3, batchSize: 2 })] });
    await store.waitFor(await appendLoans(store, 30), longTimeout);
    await corrupt(fixture);
    assert.equal(await store.projections.rebuildPart("shelf", { stream: "loan-2" }), 6);
    same(await equalStreams(fixture, store), ["loan-2"]);
    await store.waitFor(await appendLoans(store, 5, 5, 30), longTimeout); // the shards continue
    same(await equalStreams(fixture, store), ["loan-2"]);
  },
  "the rows of a tenant are rebuilt, and the rows of other tenants are unchanged": async (fixture) => {
    const store = await fixture.open({ events, projections: [shelf()] });
    let position = "";
    for (const tenant of ["acme", "zoo"])
      for (const at of [1, 2])
        ({ position } = await store.append(`${tenant}-${at}`, Borrowed({ member: "ann" }), { tenant }));
    await store.waitFor(position, longTimeout);
    await corrupt(fixture);
    assert.equal(await store.projections.rebuildPart("shelf", { tenant: "zoo" }), 2);
    same(await equalStreams(fixture, store), ["zoo-1", "zoo-2"]);
  },
  "no event is lost or applied twice while parts are rebuilt during appends": async (fixture) => {
    const store = await fixture.open({ events, projections: [shelf({ shards: 2, batchSize: 3 })] });
    let hasEnded = false;
    const rebuilding = (async () => {
      for (let at = 0; !hasEnded; at++)
        await store.projections.rebuildPart("shelf", { stream: `loan-${at % 5}` });
    })();
    let position = "";
    for (let at = 0; at < 60; at += 3) position = await appendLoans(store, 3, 5, at);
    hasEnded = true;
    await rebuilding;
    assert.equal(await store.waitFor(position, longTimeout), true);
    same(await shelfRows(fixture.db), await foldedRows(store));
  },
  "a part of an inline view is rebuilt during appends": async (fixture) => {
    const store = await fixture.open({ events, projections: [shelf({ inline: true })] });
    await appendLoans(store, 20);
    await corrupt(fixture);
    const rebuilding = [0, 1, 2, 3, 4].map((at) =>
      store.projections.rebuildPart("shelf", { stream: `loan-${at}` }),
    );
    await Promise.all([...rebuilding, appendLoans(store, 20, 5, 20)]);
    same(await shelfRows(fixture.db), await foldedRows(store));
  },
  "a part that cannot be rebuilt is refused without changes": async (fixture) => {
    const store = await fixture.open({ events, projections: [shelf()] });
    const { position } = await store.append("loan-1", Extended({ days: 1 }));
    await store.waitFor(position, longTimeout);
    await store.append("loan-bad", [Borrowed({ member: POISON }), Extended({ days: 1 })]);
    await waitFor(async () => (await store.parked.count()) === 2);
    const before = await shelfRows(fixture.db);
    const parked = await errorOf(store.projections.rebuildPart("shelf", { stream: "loan-bad" }));
    assert.equal(parked.code, "EVENTS_PART_REFUSED");
    assert.match(parked.message, /key \/loan-bad are parked/);
    const all = await errorOf(store.projections.rebuildPart("shelf", {}));
    assert.equal(all.code, "EVENTS_PART_REFUSED"); // fails after the other rows were cleared
    same(await shelfRows(fixture.db), before);
    const other = await errorOf(store.projections.rebuildPart("desk", {}));
    assert.equal(other.code, "EVENTS_UNKNOWN_PROJECTION");
  },
  "rebuildPart of a store without projections rejects every name as unknown": async ({ open }) => {
    const store = await open({ events });
    assert.equal(
      (await errorOf(store.projections.rebuildPart("shelf", {}))).code,
      "EVENTS_UNKNOWN_PROJECTION",
    );
  },
  "rebuildPart refuses a projection without clear": async ({ open }) => {
    const store = await open({ events, projections: [{ ...shelf(), clear: undefined }] });
    const error = await errorOf(store.projections.rebuildPart("shelf", {}));
    assert.equal(error.code, "EVENTS_PART_REFUSED");
    assert.match(error.message, /has no `clear`/);
  },
};
