import assert from "node:assert/strict";
import type { StandardSchema } from "@framework/core";
import type { PortFacts } from "@framework/core/testing";
import { decider } from "../deciders/decider.ts";
import { type EventType, eventType } from "../events/event-type.ts";
import { allEvents, errorOf, eventsOf, type EventStoreFixture, same } from "./store-fixture.ts";

interface Person {
  readonly id: string;
  readonly name: string;
  readonly address?: { readonly city: string };
  readonly plan: string;
}

const schema: StandardSchema<Person> = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as Person }) },
};

const Registered: EventType<"Registered", Person> = eventType("Registered", schema, {
  personal: { subject: ({ id }) => id, fields: ["name", "address"], placeholders: { name: "(forgotten)" } },
});

const ann: Person = { id: "p1", name: "Ann Secretname", address: { city: "Rome" }, plan: "free" };
const bob: Person = { id: "p2", name: "Bob", plan: "paid" };
const forgotten = { id: "p1", name: "(forgotten)", address: null, plan: "free" };

const Names = decider({
  name: "person",
  events: [Registered],
  initialState: (): readonly string[] => [],
  decide: (name: string) => Registered({ ...ann, name }),
  evolve: (names, { data }) => [...names, data.name],
});

/** Contract tests for the erasure of personal data. */
export const personalDataFacts: PortFacts<EventStoreFixture> = {
  "personal fields are encrypted in the table, and decrypted by readers": async ({ open, db }) => {
    const store = await open({ events: [Registered] });
    await store.append("person-1", [Registered(ann), Registered(bob)]);
    same(
      (await eventsOf(store, "person-1")).map(({ data, metadata }) => [data, metadata]),
      [
        [ann, {}],
        [bob, {}],
      ],
    );
    const raw = JSON.stringify(await db.query("SELECT * FROM framework_events"));
    assert.ok(!raw.includes("Secretname") && !raw.includes("Rome"), raw);
    assert.ok(raw.includes("free"));
  },

  "a forgotten person's fields are placeholders in every process, for read and readAll; other persons' fields are unchanged":
    async ({ open }) => {
      const [store, other] = [await open({ events: [Registered] }), await open({ events: [Registered] })];
      await store.append("person-1", [Registered(ann), Registered(bob)]);
      await eventsOf(other, "person-1");
      assert.deepEqual([await store.forget("p1"), await store.forget("p1")], [true, false]);
      for (const each of [store, other]) {
        same(
          (await eventsOf(each, "person-1")).map(({ data }) => data),
          [forgotten, bob],
        );
        same(
          (await allEvents(each)).map(({ data }) => data),
          [forgotten, bob],
        );
      }
    },

  "a person who returns gets a new key, and forgotten data stays forgotten": async ({ open }) => {
    const store = await open({ events: [Registered] });
    await store.append("person-1", Registered(ann));
    await store.forget("p1");
    await store.append("person-1", Registered(ann));
    same(
      (await eventsOf(store, "person-1")).map(({ data }) => data),
      [forgotten, ann],
    );
  },

  "tenants have separate keys": async ({ open }) => {
    const store = await open({ events: [Registered] });
    await store.append("person-1", Registered(ann), { tenant: "one" });
    await store.append("person-1", Registered(ann), { tenant: "two" });
    assert.equal(await store.forget("p1"), false);
    assert.equal(await store.forget("p1", { tenant: "one" }), true);
    same(
      (await allEvents(store)).map(({ data }) => data),
      [forgotten, ann],
    );
  },

  "snapshots with a forgotten person's data are deleted": async ({ open, db }) => {
    const store = await open({ events: [Registered], snapshotInterval: 1 });
    await store.aggregate(Names, "1").execute("Ann Secretname");
    await store.snapshotsTaken();
    assert.ok(JSON.stringify(await db.query("SELECT * FROM framework_snapshots")).includes("Secretname"));
    await store.forget("p1");
    same(await db.query("SELECT * FROM framework_snapshots"), []);
    same(await db.query("SELECT * FROM framework_snapshot_keys"), []);
    same((await store.aggregate(Names, "1").load()).state, ["(forgotten)"]);
  },

  "a snapshot is not stored if its person is forgotten while it is taken": async ({ open, db }) => {
    const store = await open({ events: [Registered], snapshotInterval: 1 });
    await store.aggregate(Names, "1").execute("Ann Secretname");
    await Promise.all([store.forget("p1"), store.snapshotsTaken()]);
    await store.snapshotsTaken();
    assert.ok(!JSON.stringify(await db.query("SELECT * FROM framework_snapshots")).includes("Secretname"));
  },

  "an append concurrent with forget for the same person never stores plain text": async ({ open, db }) => {
    const [store, other] = [await open({ events: [Registered] }), await open({ events: [Registered] })];
    const later = async (microtasks: number, work: () => Promise<unknown>): Promise<void> => {
      for (let at = 0; at < microtasks; at++) await Promise.resolve();
      await work();
    };
    for (let at = 0; at < 30; at++) {
      const id = `p${at}`;
      const event = Registered({ ...ann, id });
      await Promise.all([
        store.append(`a-${at}`, event),
        other.append(`b-${at}`, event),
        ...[at % 12, at % 7].map((microtasks) => later(microtasks, () => store.forget(id))),
      ]);
    }
    const raw = JSON.stringify(await db.query("SELECT data FROM framework_events"));
    assert.ok(!raw.includes("Secretname") && raw.includes("p29"), raw);
  },

  "forget in a transaction is rolled back with it": async ({ open, db }) => {
    const store = await open({ events: [Registered] });
    await store.append("person-1", Registered(ann));
    const rollback = db.transaction(async (tx) => {
      assert.equal(await store.forget("p1", { tx }), true);
      throw new Error("undo");
    });
    await assert.rejects(rollback, /undo/);
    same((await eventsOf(store, "person-1"))[0]?.data, ann);
  },

  "an encrypted field that was changed or moved to another event is refused": async ({ open, db }) => {
    const store = await open({ events: [Registered] });
    await store.append("person-1", Registered(ann));
    await store.append("person-2", Registered({ ...ann, name: "Other" }));
    const [one, two] = await db.query<{ data: string }>(
      "SELECT CAST(data AS TEXT) AS data FROM framework_events ORDER BY position",
    );
    for (const data of [two?.data, one?.data.replace(/"name":"....../, '"name":"AAAAAA')]) {
      const cast = db.dialect === "postgres" ? "$1::json" : "$1";
      await db.execute(`UPDATE framework_events SET data = ${cast} WHERE stream = 'person-1'`, [data ?? ""]);
      assert.equal((await errorOf(eventsOf(store, "person-1"))).code, "EVENTS_UNREADABLE");
    }
  },
};
