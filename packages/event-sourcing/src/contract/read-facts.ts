import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import type { EventStore } from "../event-store.ts";
import {
  allEvents,
  collect,
  errorOf,
  eventsOf,
  type EventStoreFixture,
  openTwo,
  plain,
  same,
} from "./store-fixture.ts";

const versions = async (events: ReturnType<EventStore["read"]>): Promise<number[]> =>
  (await collect(events)).map(({ version }) => version);

/** Contract tests for reading streams and the whole store. */
export const readFacts: PortFacts<EventStoreFixture> = {
  "read applies from, to, limit and backwards": async ({ open }) => {
    const store = await open();
    await store.append(
      "s-1",
      Array.from({ length: 9 }, () => plain("A")),
    );
    same(await versions(store.read("s-1", { from: 3, to: 5 })), [3, 4, 5]);
    same(await versions(store.read("s-1", { limit: 2 })), [1, 2]);
    same(await versions(store.read("s-1", { backwards: true, limit: 2 })), [9, 8]);
    same(await versions(store.read("s-1", { backwards: true, from: 4, to: 3 })), [4, 3]);
    same(await versions(store.read("s-1", { from: 10 })), []);
    same(await versions(store.read("s-1", { limit: 0 })), []);
    same(await versions(store.read("s-2")), []);
  },

  "a long stream is read whole, in both directions": async ({ open }) => {
    const store = await open();
    for (let count = 0; count < 3; count++)
      await store.append(
        "s-1",
        Array.from({ length: 400 }, () => plain("A")),
      );
    const all = Array.from({ length: 1200 }, (_, at) => at + 1);
    same(await versions(store.read("s-1")), all);
    same(await versions(store.read("s-1", { backwards: true })), all.toReversed());
    same(await versions(store.read("s-1", { from: 500, limit: 650 })), all.slice(499, 1149));
  },

  "all events are read in a global order, and the events of a stream in the order of versions": async (
    fixture,
  ) => {
    const stores = await openTwo(fixture);
    await Promise.all(
      Array.from({ length: 60 }, (_, at) => stores(at).append(`s-${at % 7}`, [plain("A"), plain("B")])),
    );
    for (const store of [stores(0), stores(1)]) {
      const all = await allEvents(store, 7);
      assert.equal(all.length, 120);
      same(
        all.map(({ position }) => position),
        all.map(({ position }) => position).toSorted(),
      );
      assert.equal(new Set(all.map(({ position }) => position)).size, 120);
      const seen = new Map<string, number>();
      for (const { stream, version } of all) {
        assert.equal(version, (seen.get(stream) ?? 0) + 1, stream);
        seen.set(stream, version);
      }
    }
  },

  "readAll filters by type, category and tenant, and its position advances past the other events": async ({
    open,
  }) => {
    const store = await open();
    await store.append("loan-1", [plain("Borrowed"), plain("Returned")]);
    await store.append("book-1", plain("Added"));
    await store.append("loan-2", plain("Borrowed"), { tenant: "t" });
    const read = async (filter: Parameters<EventStore["readAll"]>[0]) => {
      const { events, position, state } = await store.readAll(filter);
      assert.equal(state, "end");
      same((await store.readAll({ ...filter, after: position })).events, []);
      return events.map(({ stream, type }) => `${stream} ${type}`);
    };
    same(await read({ types: ["Borrowed"] }), ["loan-1 Borrowed", "loan-2 Borrowed"]);
    same(await read({ category: "loan", tenant: "" }), ["loan-1 Borrowed", "loan-1 Returned"]);
    same(await read({ tenant: "t" }), ["loan-2 Borrowed"]);
    same(await read({ types: ["Added", "Returned", "Lost"], category: "book" }), ["book-1 Added"]);
    same(await read({ types: ["Lost"] }), []);
    const { position } = await store.readAll({ types: ["Lost"] });
    await store.append("book-2", plain("Lost"));
    assert.equal((await store.readAll({ types: ["Lost"], after: position })).events.length, 1);
  },

  "the state of a batch shows whether there are more events": async ({ open }) => {
    const store = await open();
    await store.append("s-1", [plain("A"), plain("B"), plain("C")]);
    const first = await store.readAll({ limit: 2 });
    same([first.events.length, first.state], [2, "more"]);
    const second = await store.readAll({ after: first.position, limit: 2 });
    assert.equal(second.events.length, 1);
    const last = await store.readAll({ after: second.position });
    same(last, { events: [], position: second.position, state: "end" });
  },

  "position is the end of the order: after every present event and before every later one": async (
    fixture,
  ) => {
    const stores = await openTwo(fixture);
    const none = await stores(0).position();
    same(await stores(0).readAll({ after: none }), { events: [], position: none, state: "end" });
    const first = await stores(0).append("s-1", [plain("A"), plain("B")]);
    await stores(0).archive("s-1");
    same([await stores(0).position(), await stores(1).position()], [first.position, first.position]);
    const later = await stores(1).append("s-2", plain("C"));
    const { events } = await stores(0).readAll({ after: first.position });
    same(
      events.map(({ position }) => position),
      [later.position],
    );
  },

  "an append is visible at once, even to another process": async (fixture) => {
    const stores = await openTwo(fixture);
    for (let count = 1; count <= 5; count++) {
      const { position } = await stores(count).append("s-1", plain("A"));
      for (const store of [stores(0), stores(1)])
        assert.equal((await allEvents(store, 100)).at(-1)?.position, position);
    }
  },

  "streams with the same name in two tenants are separate": async ({ open }) => {
    const store = await open();
    await store.append("s-1", plain("A"), { tenant: "one", expected: "none" });
    await store.append("s-1", plain("B"), { tenant: "two", expected: "none" });
    await store.append("s-1", plain("C"), { expected: "none" });
    for (const [tenant, type] of [
      ["one", "A"],
      ["two", "B"],
      ["", "C"],
    ] as const) {
      const [event, ...others] = await collect(store.read("s-1", { tenant }));
      same([event?.type, event?.tenant, event?.version, others.length], [type, tenant, 1, 0]);
    }
  },

  "an archived stream is read as before, and accepts events only after restore": async ({ open }) => {
    const store = await open();
    await store.append("s-1", [plain("A", "id-1"), plain("B", "id-2")]);
    await store.append("s-2", plain("C"));
    const before = await allEvents(store, 10);
    same([await store.archive("s-1"), await store.archive("s-1")], [true, false]);
    assert.equal(await store.archive("s-9"), false);
    same(await allEvents(store, 10), before);
    same(await versions(store.read("s-1", { backwards: true })), [2, 1]);
    assert.equal((await errorOf(store.append("s-1", plain("D")))).code, "EVENTS_STREAM_ARCHIVED");
    assert.equal(
      (await errorOf(store.append("s-1", plain("D"), { expected: 2 }))).code,
      "EVENTS_STREAM_ARCHIVED",
    );
    assert.equal((await store.append("s-1", [plain("A", "id-1"), plain("B", "id-2")])).isNew, false);
    same([await store.restore("s-1"), await store.restore("s-1")], [true, false]);
    assert.equal((await store.append("s-1", plain("D"), { expected: 2 })).version, 3);
    assert.equal((await eventsOf(store, "s-1")).length, 3);
    same((await allEvents(store, 10)).slice(0, 3), before);
  },

  "a malformed option of a read is refused": async ({ open }) => {
    const store = await open();
    for (const limit of [0, 1001, 1.5, Number.NaN])
      assert.equal((await errorOf(store.readAll({ limit }))).code, "EVENTS_BAD_READ");
    assert.equal((await errorOf(store.readAll({ types: [] }))).code, "EVENTS_BAD_READ");
    for (const after of ["", "7", "zzzzzzzzzzz", "0000000000A", "' OR 1=1 --"])
      assert.equal((await errorOf(store.readAll({ after }))).code, "EVENTS_BAD_POSITION");
    assert.throws(() => store.read("s-1", { from: -1 }), /EVENTS_BAD_READ|from/);
    assert.throws(() => store.read(""), /empty/);
  },
};
