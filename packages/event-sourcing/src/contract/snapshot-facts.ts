import assert from "node:assert/strict";
import type { StandardSchema } from "@framework/core";
import type { PortFacts } from "@framework/core/testing";
import { decider, type Decider } from "../deciders/decider.ts";
import { type EventType, eventType } from "../events/event-type.ts";
import { allEvents, errorOf, eventsOf, type EventStoreFixture, openTwo, same } from "./store-fixture.ts";

const numbers: StandardSchema<{ n: number }> = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as { n: number } }) },
};
const Added: EventType<"Added", { n: number }> = eventType("Added", numbers);

type Counter = Decider<number, number, typeof Added>;

/** A decider that rejects negative numbers. `evolveCalls` counts the calls of `evolve`. */
const counter = (version = 1, evolveCalls: { count: number } = { count: 0 }): Counter =>
  decider({
    name: "counter",
    version,
    events: [Added],
    initialState: () => 0,
    decide: (n: number, state) => {
      if (n < 0) throw new RangeError(`${n} is negative`);
      return n === 0 ? [] : Array.from({ length: n }, () => Added({ n: state + 1 }));
    },
    evolve: (state, { data }) => {
      evolveCalls.count++;
      return state * 3 + data.n;
    },
  });

const fold = (data: readonly { readonly n: number }[]): number =>
  data.reduce((state, { n }) => state * 3 + n, 0);

/** Contract tests for aggregates and their snapshots. */
export const snapshotFacts: PortFacts<EventStoreFixture> = {
  "an aggregate decides with the state of its events": async ({ open }) => {
    const store = await open({ events: [Added] });
    const one = store.aggregate(counter(), "1");
    assert.deepEqual([one.stream, (await one.load()).version], ["counter-1", 0]);
    const first = await one.execute(2);
    const [a, b] = await eventsOf(store, "counter-1");
    same(first, { state: fold([{ n: 1 }, { n: 1 }]), version: 2, position: b?.position, events: [a, b] });
    const second = await one.execute(1);
    same([second.version, second.events[0]?.data], [3, { n: first.state + 1 }]);
    same(await one.load(), { state: second.state, version: 3 });
    same(await one.execute(0), { state: second.state, version: 3, position: null, events: [] });
    assert.ok((await errorOf(one.execute(-1))) instanceof RangeError);
    assert.equal((await allEvents(store)).length, 3);
  },

  "concurrent commands on one aggregate each decide with the latest state": async (fixture) => {
    const stores = await openTwo(fixture, { events: [Added] });
    await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        stores(at).aggregate(counter(), "1").execute(1, { retries: 100 }),
      ),
    );
    const events = await eventsOf(stores(0), "counter-1");
    let state = 0;
    for (const { data } of events as { data: { n: number } }[]) {
      assert.equal(data.n, state + 1);
      state = state * 3 + data.n;
    }
    assert.equal(events.length, 10);
  },

  "a command in a transaction is rolled back with it, without a snapshot": async ({ open, db }) => {
    const store = await open({ events: [Added], snapshotInterval: 1 });
    const rollback = db.transaction(async (tx) => {
      const { state } = await store.aggregate(counter(), "1").execute(2, { tx });
      same((await store.aggregate(counter(), "1").load({ tx })).state, state);
      throw new Error("undo");
    });
    await assert.rejects(rollback, /undo/);
    await store.snapshotsTaken();
    same([await eventsOf(store, "counter-1"), await db.query("SELECT * FROM framework_snapshots")], [[], []]);
    await db.transaction((tx) => store.aggregate(counter(), "1").execute(2, { tx }));
    await store.snapshotsTaken();
    assert.equal(Number(await db.fetchValue("SELECT version FROM framework_snapshots")), 2);
  },

  "a snapshot is taken every snapshotInterval events, and only the events after it are read": async ({
    open,
    db,
  }) => {
    const store = await open({ events: [Added], snapshotInterval: 10 });
    const versions: number[] = [];
    for (let count = 0; count < 25; count++) {
      await store.aggregate(counter(), "1").execute(1);
      await store.snapshotsTaken();
      versions.push(Number((await db.fetchValue("SELECT version FROM framework_snapshots")) ?? 0));
    }
    same([...new Set(versions)], [0, 10, 20]);
    const evolveCalls = { count: 0 };
    const { state, version } = await store.aggregate(counter(1, evolveCalls), "1").load();
    const data = (await eventsOf(store, "counter-1")).map((event) => event.data as { n: number });
    same([state, version, evolveCalls.count], [fold(data), 25, 5]);
  },

  "with enableSnapshots: false, snapshots are neither taken nor used": async ({ open, db }) => {
    const withoutSnapshots = await open({ events: [Added], snapshotInterval: 1, enableSnapshots: false });
    await withoutSnapshots.aggregate(counter(), "1").execute(3);
    await withoutSnapshots.snapshotsTaken();
    same(await db.query("SELECT * FROM framework_snapshots"), []);
    const store = await open({ events: [Added], snapshotInterval: 1 });
    await store.aggregate(counter(), "1").load();
    await store.snapshotsTaken();
    await db.execute("UPDATE framework_snapshots SET state = '7'");
    const evolveCalls = { count: 0 };
    await withoutSnapshots.aggregate(counter(1, evolveCalls), "1").load();
    assert.equal(evolveCalls.count, 3);
  },

  "a snapshot of another version of the decider is not used, and only a later version replaces it": async ({
    open,
    db,
  }) => {
    const store = await open({ events: [Added], snapshotInterval: 1 });
    const foldVersion = async (): Promise<number> =>
      Number(await db.fetchValue("SELECT fold_version FROM framework_snapshots"));
    const load = async (version: number): Promise<number> => {
      const evolveCalls = { count: 0 };
      await store.aggregate(counter(version, evolveCalls), "1").load();
      await store.snapshotsTaken();
      return evolveCalls.count;
    };
    await store.aggregate(counter(1), "1").execute(4);
    await store.snapshotsTaken();
    same([await load(1), await load(2), await foldVersion()], [0, 4, 2]);
    same([await load(1), await foldVersion()], [4, 2]); // older code, running with newer code
    assert.equal(await load(2), 0);
  },
};
