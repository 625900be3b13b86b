import assert from "node:assert/strict";
import { waitFor } from "@framework/testing";
import { errorOf, type EventStoreFixture, same } from "../../contract/store-fixture.ts";
import type { OpenEventStore } from "../../index.ts";
import { Borrowed, Extended, loanTypes } from "../../loan.test-kit.ts";
import { foldedRows, lend, patient, POISON, shelf, shelfRows } from "../shelf.test-kit.ts";

const events = loanTypes;

const spoil = ({ db }: EventStoreFixture): Promise<unknown> =>
  db.execute("UPDATE shelf_v1 SET days = 1000000, applied = 0");

/** Streams whose row is that of a fold. */
const rightStreams = async ({ db }: EventStoreFixture, store: OpenEventStore): Promise<readonly string[]> => {
  const folded = new Map((await foldedRows(store)).map((row) => [row.stream, JSON.stringify(row)]));
  const rows = await shelfRows(db);
  return Array.from(rows).flatMap((row) =>
    folded.get(row.stream) === JSON.stringify(row) ? [row.stream] : [],
  );
};

/** Facts of parts of a view that are made again. */
export const rebuildPartFacts: Readonly<Record<string, (fixture: EventStoreFixture) => Promise<void>>> = {
  "what one stream has made is made again, and the rest of the view stays": async (fixture) => {
    const store = await fixture.open({ events, projections: [shelf({ shards: 3, batchSize: 2 })] });
    await store.waitFor(await lend(store, 30), patient);
    await spoil(fixture);
    assert.equal(await store.projections.rebuildPart("shelf", { stream: "loan-2" }), 6);
    same(await rightStreams(fixture, store), ["loan-2"]);
    await store.waitFor(await lend(store, 5, 5, 30), patient); // the shards go on
    same(await rightStreams(fixture, store), ["loan-2"]);
  },
  "what a tenant has made is made again, and other tenants stay": async (fixture) => {
    const store = await fixture.open({ events, projections: [shelf()] });
    let position = "";
    for (const tenant of ["acme", "zoo"])
      for (const at of [1, 2])
        ({ position } = await store.append(`${tenant}-${at}`, Borrowed({ member: "ann" }), { tenant }));
    await store.waitFor(position, patient);
    await spoil(fixture);
    assert.equal(await store.projections.rebuildPart("shelf", { tenant: "zoo" }), 2);
    same(await rightStreams(fixture, store), ["zoo-1", "zoo-2"]);
  },
  "parts are rebuilt beside appends, again and again, and nothing is lost or applied twice": async (
    fixture,
  ) => {
    const store = await fixture.open({ events, projections: [shelf({ shards: 2, batchSize: 3 })] });
    let isOver = false;
    const rebuilding = (async () => {
      for (let at = 0; !isOver; at++)
        await store.projections.rebuildPart("shelf", { stream: `loan-${at % 5}` });
    })();
    let position = "";
    for (let at = 0; at < 60; at += 3) position = await lend(store, 3, 5, at);
    isOver = true;
    await rebuilding;
    assert.equal(await store.waitFor(position, patient), true);
    same(await shelfRows(fixture.db), await foldedRows(store));
  },
  "a part of an inline view is rebuilt, also beside appends": async (fixture) => {
    const store = await fixture.open({ events, projections: [shelf({ inline: true })] });
    await lend(store, 20);
    await spoil(fixture);
    const rebuilding = [0, 1, 2, 3, 4].map((at) =>
      store.projections.rebuildPart("shelf", { stream: `loan-${at}` }),
    );
    await Promise.all([...rebuilding, lend(store, 20, 5, 20)]);
    same(await shelfRows(fixture.db), await foldedRows(store));
  },
  "a part that cannot be rebuilt is refused, and nothing changes": async (fixture) => {
    const store = await fixture.open({ events, projections: [shelf()] });
    const { position } = await store.append("loan-1", Extended({ days: 1 }));
    await store.waitFor(position, patient);
    await store.append("loan-bad", [Borrowed({ member: POISON }), Extended({ days: 1 })]);
    await waitFor(async () => (await store.parked.count()) === 2);
    const before = await shelfRows(fixture.db);
    const parked = await errorOf(store.projections.rebuildPart("shelf", { stream: "loan-bad" }));
    assert.equal(parked.code, "EVENTS_PART_REFUSED");
    assert.match(parked.message, /key \/loan-bad are parked/);
    const all = await errorOf(store.projections.rebuildPart("shelf", {}));
    assert.equal(all.code, "EVENTS_PART_REFUSED"); // after it has cleared the other rows
    same(await shelfRows(fixture.db), before);
    const other = await errorOf(store.projections.rebuildPart("desk", {}));
    assert.equal(other.code, "EVENTS_UNKNOWN_PROJECTION");
  },
  "a view without clear is rebuilt as a whole only": async ({ open }) => {
    const store = await open({ events, projections: [{ ...shelf(), clear: undefined }] });
    const error = await errorOf(store.projections.rebuildPart("shelf", {}));
    assert.equal(error.code, "EVENTS_PART_REFUSED");
    assert.match(error.message, /has no `clear`/);
  },
};
