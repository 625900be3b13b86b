// Simulates a crash before and after each statement of each store operation, and checks the stored state.
import assert from "node:assert/strict";
import type { Database } from "@framework/database";
import {
  type Crash,
  crashAtEachStatement,
  faultingDatabase,
  type FaultingDatabase,
} from "@framework/database/testing";
import { createKernel } from "@framework/durable/feature";
import { StoreCounts } from "../base/store-counts.ts";
import { collect, errorOf, type EventStoreFixture, plain, same } from "../contract/store-fixture.ts";
import { buildStore, type StoreParts, type StreamStore } from "../event-store.ts";
import { EventSourcingConfig } from "../event-sourcing-config.ts";
import { type AnyEventType, eventType, type EventType } from "../events/event-type.ts";
import { EventTypes } from "../events/event-types.ts";
import { Borrowed, Extended, Loan, loanTypes } from "../loan.test-kit.ts";

const silent = { info: () => {}, warn: () => {}, error: () => {} };

interface Note {
  readonly about: string;
  readonly text: string;
}

const Noted: EventType<"Noted", Note> = eventType(
  "Noted",
  {
    "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value: value as Note }) },
  },
  { personal: { subject: ({ about }) => about, fields: ["text"] } },
);

const types: readonly AnyEventType[] = [...loanTypes, Noted];

/** The store of one process, without background work, so that only the operation's statements are counted. */
const storeOf = (db: Database): StoreParts => {
  const kernel = createKernel(db);
  return buildStore({
    db,
    now: kernel.now,
    types: new EventTypes(types),
    settings: { ...EventSourcingConfig.of(), snapshotInterval: 2 },
    log: silent,
    counts: new StoreCounts(),
    transaction: kernel.transaction,
    parked: kernel.parked,
    currentMetadata: () => ({}),
    inline: null,
    onCommit: () => {},
  });
};

/** An operation, and the checks by the next process, most of which repeat it. */
interface Operation {
  readonly prepare?: (store: StreamStore) => Promise<unknown>;
  readonly act: (store: StoreParts, stream: string) => Promise<unknown>;
  readonly check: (db: Database, store: StoreParts, stream: string) => Promise<void>;
}

/** Checks that the rows of a stream are consistent. Returns the number of events. */
const checkStream = async (db: Database, store: StreamStore, stream: string): Promise<number> => {
  const events = await collect(store.read(stream));
  same(
    events.map(({ version }) => version),
    events.map((_event, at) => at + 1),
  );
  const version = await db.fetchValue<number>`SELECT version FROM framework_streams WHERE stream = ${stream}`;
  assert.equal(Number(version ?? 0), events.length);
  return events.length;
};

const two = [
  { ...Borrowed({ member: "ann" }), id: "id-1" },
  { ...Extended({ days: 3 }), id: "id-2" },
];

export const operations: Readonly<Record<string, Operation>> = {
  append: {
    act: ({ store }, stream) => store.append(stream, two),
    check: async (db, { store }, stream) => {
      const count = await checkStream(db, store, stream);
      assert.ok(count === 0 || count === 2);
      const { version, isNew } = await store.append(stream, two, { expected: "none" });
      same([version, isNew], [2, count === 0]);
      assert.equal(await checkStream(db, store, stream), 2);
    },
  },
  "append of one event": {
    act: ({ store }, stream) => store.append(stream, two.slice(0, 1)),
    check: async (db, { store }, stream) => {
      const count = await checkStream(db, store, stream);
      const { version, isNew } = await store.append(stream, two.slice(0, 1), { expected: "none" });
      same([version, isNew, await checkStream(db, store, stream)], [1, count === 0, 1]);
    },
  },
  "append in a transaction": {
    act: ({ store, base }, stream) =>
      base.db.transaction(async (tx) => {
        await store.append(stream, two, { tx });
        await store.append(stream, plain("Returned"), { tx, expected: 2 });
      }),
    check: async (db, { store }, stream) => {
      const count = await checkStream(db, store, stream);
      assert.ok(count === 0 || count === 3);
    },
  },
  appendMany: {
    act: ({ store }, stream) =>
      store.appendMany([`${stream}a`, `${stream}b`].map((each) => ({ stream: each, events: two }))),
    check: async (db, { store }, stream) => {
      const names = [`${stream}a`, `${stream}b`];
      const before = await Promise.all(names.map((each) => checkStream(db, store, each)));
      assert.ok(before[0] === before[1] && (before[0] === 0 || before[0] === 2), String(before));
      await store.appendMany(names.map((each) => ({ stream: each, events: two })));
      same(await Promise.all(names.map((each) => checkStream(db, store, each))), [2, 2]);
    },
  },
  snapshot: {
    act: async ({ store, snapshots }, stream) => {
      await store.aggregate(Loan, stream.slice("loan-".length)).execute({ kind: "borrow", member: "ann" });
      await store.aggregate(Loan, stream.slice("loan-".length)).execute({ kind: "extend", days: 3 });
      await snapshots.idle();
    },
    check: async (db, { store, snapshots }, stream) => {
      const count = await checkStream(db, store, stream);
      const { state, version } = await store.aggregate(Loan, stream.slice("loan-".length)).load();
      same(
        [state, version],
        [{ member: count > 0 ? "ann" : null, days: [0, 14, 17][count], returns: 0 }, count],
      );
      await snapshots.idle();
      const rows = await db.query`SELECT version FROM framework_snapshots WHERE stream = ${stream}`;
      assert.equal(rows.length, count === 2 ? 1 : 0);
    },
  },
  archive: {
    prepare: (store) => store.append("loan-1", two),
    act: ({ store }, stream) => store.archive(stream),
    check: async (db, { store }, stream) => {
      assert.equal(await checkStream(db, store, stream), 2);
      await checkEventTable(db);
      await store.archive(stream);
      assert.equal((await errorOf(store.append(stream, plain("Returned")))).code, "EVENTS_STREAM_ARCHIVED");
      assert.equal(await checkStream(db, store, stream), 2);
      await checkEventTable(db);
    },
  },
  restore: {
    prepare: async (store) => {
      await store.append("loan-1", two);
      await store.archive("loan-1");
    },
    act: ({ store }, stream) => store.restore(stream),
    check: async (db, { store }, stream) => {
      assert.equal(await checkStream(db, store, stream), 2);
      await checkEventTable(db);
      await store.restore(stream);
      assert.equal((await store.append(stream, plain("Returned"), { expected: 2 })).version, 3);
      assert.equal(await checkStream(db, store, stream), 3);
    },
  },
  "append of personal data": {
    act: ({ store }, stream) =>
      store.append(stream, { ...Noted({ about: "p1", text: "secret" }), id: "id-1" }),
    check: async (db, { store }, stream) => {
      await checkStream(db, store, stream);
      await store.append(stream, { ...Noted({ about: "p1", text: "secret" }), id: "id-1" });
      same(
        (await collect(store.read(stream))).map(({ data }) => data),
        [{ about: "p1", text: "secret" }],
      );
    },
  },
  forget: {
    prepare: (store) => store.append("loan-1", Noted({ about: "p1", text: "secret" })),
    act: ({ store }) => store.forget("p1"),
    check: async (db, { store }, stream) => {
      const text = async (): Promise<unknown> => {
        const [event] = await collect(store.read(stream));
        return (event?.data as Note | undefined)?.text;
      };
      const keys = await db.query("SELECT id FROM framework_subject_keys");
      assert.equal(await text(), keys.length === 1 ? "secret" : null);
      await store.forget("p1");
      assert.equal(await text(), null);
    },
  },
};

/** Checks that the events are all in framework_archived_events if the stream is archived, otherwise all in framework_events. */
const checkEventTable = async (db: Database): Promise<void> => {
  const archived = await db.fetchValue("SELECT archived_at FROM framework_streams");
  const counts = await db.query<{ count: number }>(`SELECT count(*) AS count FROM framework_events
    UNION ALL SELECT count(*) FROM framework_archived_events`);
  same(counts, archived === null ? [{ count: 2 }, { count: 0 }] : [{ count: 0 }, { count: 2 }]);
};

const tables = ["streams", "events", "archived_events", "snapshots", "subject_keys", "snapshot_keys"];

/** Runs an operation with a crash before and after each of its statements. Returns the number of crashes. */
export const crashEverywhere = async (
  { db, open }: EventStoreFixture,
  { prepare, act, check }: Operation,
): Promise<number> => {
  await (await open()).close(); // creates the tables
  return await crashAtEachStatement(async (crash: Crash): Promise<FaultingDatabase> => {
    for (const table of tables) await db.execute(`DELETE FROM framework_${table}`);
    await prepare?.(storeOf(db).store);
    const crashing = faultingDatabase(db, crash);
    await act(storeOf(crashing), "loan-1").catch((error: unknown) => {
      if (!crashing.isDead) throw error;
    });
    await crashing.close();
    await check(db, storeOf(db), "loan-1");
    return crashing;
  });
};
