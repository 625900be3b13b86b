import assert from "node:assert/strict";
import type { ParkedItem } from "@framework/durable";
import { waitFor } from "@framework/testing";
import { allEvents, type EventStoreFixture, same } from "../../contract/store-fixture.ts";
import type { EventStore } from "../../event-store.ts";
import { Borrowed, Extended, loanTypes, Returned } from "../../loan.test-kit.ts";
import { appendLoans, foldedRows, longTimeout, POISON, shelf, shelfRows } from "../shelf.test-kit.ts";

const events = loanTypes;

/** Appends to a stream with a failing event and two events after it, and to other streams. */
const appendPoisoned = async (store: EventStore): Promise<string> => {
  await store.append("loan-bad", Borrowed({ member: POISON }));
  await appendLoans(store, 10, 3);
  await store.append("loan-bad", [Extended({ days: 2 }), Returned({})]);
  return await appendLoans(store, 10, 3, 10);
};

const shelfFilter = { source: "projection", name: "shelf v1" };

const parkedOf = async (store: EventStore): Promise<readonly ParkedItem[]> =>
  (await store.parked.list(shelfFilter)).items;

/** Contract tests for events that a projection cannot apply. */
export const parkedFacts: Readonly<Record<string, (fixture: EventStoreFixture) => Promise<void>>> = {
  "a failing event is parked with the later events of its key, and other keys continue": async ({
    open,
    db,
  }) => {
    const store = await open({ events, projections: [shelf()] });
    assert.equal(await store.waitFor(await appendPoisoned(store), longTimeout), true);
    const all = await foldedRows(store);
    same(
      await shelfRows(db),
      all.filter(({ stream }) => stream !== "loan-bad"),
    );
    const parked = await parkedOf(store);
    same(
      parked.map(({ key, attempts, errorMessage, errorCode }) => [key, attempts, errorMessage, errorCode]),
      [
        ["/loan-bad", 2, "poison", null],
        ["/loan-bad", 0, "an earlier item of its key is parked", "DURABLE_PARKED_BEHIND"],
        ["/loan-bad", 0, "an earlier item of its key is parked", "DURABLE_PARKED_BEHIND"],
      ],
    );
    const [, blocked] = await allEvents(store, 100).then((all) =>
      all.filter(({ stream }) => stream === "loan-bad"),
    );
    same((await store.parked.inspect(parked[1]?.id ?? ""))?.payload, {
      position: blocked?.position,
      tenant: "",
      stream: "loan-bad",
      version: 2,
      type: "Extended",
      id: blocked?.id,
      data: { days: 2 },
    });
    assert.equal((await store.projections.status())[0]?.parked, 3);
  },
  "fixed code replays parked events in order, and their key continues": async ({ open, db }) => {
    const first = await open({ events, projections: [shelf()] });
    await first.waitFor(await appendPoisoned(first), longTimeout);
    const [bad, blocked] = await parkedOf(first);
    same(await first.parked.replay([blocked?.id ?? ""]), {
      replayed: 0,
      failed: [{ id: blocked?.id, reason: "an earlier item of its key is parked; replay or discard that" }],
    });
    same(await first.parked.replay([bad?.id ?? ""]), { replayed: 1, failed: [] });
    await waitFor(async () => (await parkedOf(first)).length === 3);
    same(
      (await parkedOf(first)).map(({ attempts }) => attempts), // the first failed again
      [3, 0, 0],
    );
    await first.close();
    const seen: string[] = [];
    const fixed = shelf({
      apply: async (tx, given, { tables }) => {
        for (const { stream, type } of given) {
          if (stream === "loan-bad") seen.push(type);
          await tx.execute`INSERT INTO ${tables.shelf} AS s (stream, member, days, applied) VALUES (${stream}, '', 0, 1)
            ON CONFLICT (stream) DO UPDATE SET applied = s.applied + 1`;
        }
      },
    });
    const store = await open({ events, projections: [fixed] });
    await store.append("loan-bad", Borrowed({ member: "ann" }));
    assert.equal(await store.waitFor(await appendLoans(store, 3), longTimeout), true);
    const [head, ...others] = await parkedOf(store);
    assert.equal(others.length, 3);
    same(await store.parked.replay([head?.id ?? ""]), { replayed: 1, failed: [] }); // the others were waiting for it
    await waitFor(async () => (await store.parked.count()) === 0);
    await store.append("loan-bad", Returned({}));
    assert.equal(await store.waitFor(await appendLoans(store, 3), longTimeout), true);
    same(seen, ["Borrowed", "Extended", "Returned", "Borrowed", "Returned"]);
    same(
      (await shelfRows(db)).map(({ applied }) => applied),
      (await foldedRows(store)).map(({ applied }) => applied),
    );
  },
  "a parked event is discarded with a note, and the later events of its key are replayed": async ({
    open,
    db,
  }) => {
    const store = await open({ events, projections: [shelf()] });
    await store.waitFor(await appendPoisoned(store), longTimeout);
    const [bad] = await parkedOf(store);
    assert.ok(bad !== undefined);
    assert.equal(await store.parked.discard([bad.id], { note: "entered twice" }), 1);
    assert.equal(await store.parked.discard([bad.id], { note: "entered twice" }), 0);
    await store.parked.replay({ ...shelfFilter, key: bad.key ?? undefined });
    await waitFor(async () => (await store.parked.count()) === 0);
    const row = (await shelfRows(db)).find(({ stream }) => stream === "loan-bad");
    same(row, { stream: "loan-bad", member: "", days: 2, applied: 2 });
  },
  'with onError: "stop" the shard stops before the event with an error, and continues after resume': async ({
    open,
    db,
  }) => {
    let isFixed = false;
    const failing = shelf({
      onError: "stop",
      apply: async (tx, given, { tables }) => {
        for (const { stream, version } of given) {
          if (stream === "loan-bad" && !isFixed) throw new Error("broken code");
          await tx.execute`INSERT INTO ${tables.shelf} AS s (stream, member, days, applied) VALUES (${stream}, '', 0, ${version})
            ON CONFLICT (stream) DO UPDATE SET applied = ${version}`;
        }
      },
    });
    const store = await open({ events, projections: [failing] });
    await appendLoans(store, 3);
    await store.append("loan-bad", Returned({}));
    const position = await appendLoans(store, 3, 5, 3);
    const status = async () => (await store.projections.status())[0];
    await waitFor(async () => (await status())?.errors.length === 1);
    assert.match(String((await status())?.errors[0]), /broken code/);
    assert.equal((await shelfRows(db)).length, 3);
    isFixed = true;
    assert.equal(await store.projections.resume("shelf"), 1);
    assert.equal(await store.waitFor(position, longTimeout), true);
    assert.equal((await shelfRows(db)).length, 6);
  },
  "resume restarts the live version while a later one is being built": async ({ open, db }) => {
    let isFixed = false;
    const { apply } = shelf();
    const live = shelf({
      onError: "stop",
      apply: async (tx, given, context) => {
        if (!isFixed) throw new Error("broken code");
        await apply(tx, given, context);
      },
    });
    const store = await open({ events, projections: [live, shelf({ version: 2, autoLive: false })] });
    const position = await appendLoans(store, 3);
    await waitFor(async () => (await store.projections.status())[0]?.errors.length === 1);
    isFixed = true;
    assert.equal(await store.projections.resume("shelf", 2), 0); // version 2 has not stopped
    assert.equal(await store.projections.resume("shelf"), 1);
    assert.equal(await store.waitFor(position, longTimeout), true);
    same(await shelfRows(db), await foldedRows(store));
  },
  "a parked event of a version that is being built is replayed as part of the rebuild": async ({ open }) => {
    const first = await open({ events, projections: [shelf()] });
    await first.append("loan-bad", Borrowed({ member: "ann" }));
    await first.close();
    const rebuilds: boolean[] = [];
    const building = shelf({
      version: 2,
      autoLive: false,
      apply: async (_tx, _given, { isRebuild }) => {
        rebuilds.push(isRebuild);
        if (rebuilds.length <= 3) throw new Error("broken code"); // one attempt at the batch, two at its event
      },
    });
    const store = await open({ events, projections: [shelf(), building] });
    await waitFor(async () => (await store.parked.count()) === 1);
    await store.parked.replay({ source: "projection", name: "shelf v2" });
    await waitFor(async () => (await store.parked.count()) === 0);
    same(rebuilds, [true, true, true, true]);
  },
  "a failing event with a key that the database cannot store is parked, and other keys continue": async ({
    open,
    db,
  }) => {
    const keys = ["nul\0nul", "half \uD800"];
    const keyed = shelf({
      key: ({ stream, version }) => (stream === "loan-bad" ? (keys[version - 1] ?? "") : ""),
    });
    const store = await open({ events, projections: [keyed] });
    await store.append("loan-bad", [Borrowed({ member: POISON }), Borrowed({ member: POISON })]);
    const { position } = await store.append("loan-1", Extended({ days: 2 }));
    assert.equal(await store.waitFor(position, longTimeout), true);
    const parked = (await parkedOf(store)).map(({ key }) => key);
    same(parked, ["/nul\uFFFDnul", "/half \uFFFD"]);
    same(
      (await shelfRows(db)).map(({ stream }) => stream),
      ["loan-1"],
    );
  },
};
