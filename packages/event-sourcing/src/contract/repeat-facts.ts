import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import { errorOf, eventsOf, type EventStoreFixture, openTwo, plain, same } from "./store-fixture.ts";

/** Contract tests for appends repeated with the same event ids. */
export const repeatFacts: PortFacts<EventStoreFixture> = {
  "a repeated append returns the first result, with any expected version": async ({ open }) => {
    const store = await open();
    const events = [plain("A", "id-1"), plain("B", "id-2")];
    const first = await store.append("s-1", events, { expected: "none" });
    await store.append("s-1", plain("C"));
    for (const expected of ["any", "none", "exists", 0, 2, 3, 9] as const) {
      const again = await store.append("s-1", events, { expected });
      same(again, { ...first, isNew: false }, String(expected));
    }
    assert.equal((await eventsOf(store, "s-1")).length, 3);
  },

  "ids are unique in a stream, not in the store": async ({ open }) => {
    const store = await open();
    for (const stream of ["s-1", "s-2"])
      assert.equal((await store.append(stream, plain("A", "id-1"))).isNew, true);
    assert.equal((await store.append("s-1", plain("A", "id-1"), { tenant: "t" })).isNew, true);
  },

  "concurrent appends of the same ids take effect once": async (fixture) => {
    const stores = await openTwo(fixture);
    const events = [plain("A", "id-1"), plain("B", "id-2")];
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, at) => stores(at).append("s-1", events)),
    );
    assert.equal(results.filter((result) => result?.isNew).length, 1);
    assert.equal(new Set(results.map((result) => result?.position)).size, 1);
    assert.equal((await eventsOf(stores(0), "s-1")).length, 2);
  },

  "concurrent appends of the same ids in transactions take effect once": async ({ open, db }) => {
    const store = await open();
    const results = await Promise.all(
      Array.from({ length: 6 }, () =>
        db.transaction((tx) => store.append("s-1", [plain("A", "id-1"), plain("B", "id-2")], { tx })),
      ),
    );
    assert.equal(results.filter(({ isNew }) => isNew).length, 1);
    assert.equal((await eventsOf(store, "s-1")).length, 2);
  },

  "an append is refused if only some of its ids exist, or in another order": async ({ open }) => {
    const store = await open();
    await store.append("s-1", [plain("A", "id-1"), plain("B", "id-2"), plain("C", "id-3")]);
    for (const ids of [
      ["id-1", "id-4"],
      ["id-4", "id-1"],
      ["id-2", "id-1"],
      ["id-1", "id-3"],
    ]) {
      const error = await errorOf(
        store.append(
          "s-1",
          ids.map((id) => plain("A", id)),
        ),
      );
      assert.equal(error.code, "EVENTS_PARTIAL_OVERLAP", ids.join());
    }
    assert.equal((await eventsOf(store, "s-1")).length, 3);
  },

  "appendMany is repeated as a whole": async ({ open }) => {
    const store = await open();
    const appends = ["s-1", "s-2"].map((stream) => ({ stream, events: plain("A", "id-1") }));
    const first = await store.appendMany(appends);
    const again = await store.appendMany(appends);
    same(
      again,
      first.map((result) => ({ ...result, isNew: false })),
    );
    const mixed = [...appends, { stream: "s-3", events: plain("A", "id-1") }];
    assert.equal((await errorOf(store.appendMany(mixed))).code, "EVENTS_BAD_APPEND");
    same(await eventsOf(store, "s-3"), []);
  },
};
