import { openDatabase } from "@framework/database";
import { expect, test } from "@jest/globals";
import { type Decider, decider, type EventSourcingConfig, openEventStore } from "../index.ts";
import { Borrowed, Extended, Loan, loanTypes, Returned } from "../loan.test-kit.ts";
import { events, expected, open, takeSnapshot } from "./snapshots.test-kit.ts";

test.each([
  [
    "with another state",
    `UPDATE framework_snapshots SET state = '{"member":"eve","days":1,"returns":0}'`,
    "damaged",
  ],
  ["with a truncated state", "UPDATE framework_snapshots SET state = substr(state, 1, 5)", "damaged"],
  ["of another version", "UPDATE framework_snapshots SET version = 2", "damaged"],
  ["with an empty checksum", "UPDATE framework_snapshots SET checksum = ''", "damaged"],
  [
    "whose last event does not exist",
    "DELETE FROM framework_events WHERE version = 3; UPDATE framework_streams SET version = 2",
    "not in the stream",
  ],
])("a snapshot %s is ignored, logged once, and replaced", async (_name, damage, reason) => {
  await using testStore = await open();
  const { store, db, lines } = testStore;
  await takeSnapshot(testStore);
  await db.transaction((tx) => tx.script(damage));
  if (reason !== "damaged") await store.append("loan-1", Extended({ days: 4 }));
  for (let count = 0; count < 3; count++) {
    expect(await store.aggregate(Loan, "1").load()).toEqual(expected);
    await store.snapshotsTaken();
  }
  expect(lines.map(({ message }) => message)).toEqual([expect.stringContaining(reason)]);
  expect(lines[0]?.fields).toMatchObject({ fold: "loan", stream: "loan-1" });
  const rows = await db.query("SELECT version, state FROM framework_snapshots");
  expect(rows).toEqual([{ version: 3, state: JSON.stringify(expected.state) }]);
});

test("a snapshot of newer code is ignored, logged once, and kept", async () => {
  await using testStore = await open();
  const { store, db, lines } = testStore;
  await store.append("loan-1", events);
  const newer: typeof Loan = { ...Loan, fold: { ...Loan.fold, version: 2, hash: "newer" } };
  await store.aggregate(newer, "1").load();
  await store.snapshotsTaken();
  for (let count = 0; count < 3; count++) expect(await store.aggregate(Loan, "1").load()).toEqual(expected);
  await store.snapshotsTaken();
  expect(lines.map(({ message }) => message)).toEqual([expect.stringContaining("taken by newer code")]);
  expect(await db.fetchValue("SELECT fold_version FROM framework_snapshots")).toBe(2);
});

test("a snapshot of events that were rolled back after an unknown outcome is not used", async () => {
  await using testStore = await open();
  const { store, db } = testStore;
  const rollback = new Error("undo");
  const work = db.transaction(async (tx) => {
    const callbacks: (() => void)[] = [];
    const doubtful = Object.assign(Object.create(tx) as typeof tx, {
      onCommit: (callback: () => void) => void callbacks.push(callback),
    });
    await store.aggregate(Loan, "1").execute({ kind: "borrow", member: "ann" }, { tx: doubtful });
    await store.aggregate(Loan, "1").execute({ kind: "extend", days: 9 }, { tx: doubtful });
    for (const callback of callbacks) callback(); // as after an unknown outcome
    throw rollback;
  });
  await expect(work).rejects.toBe(rollback);
  await store.snapshotsTaken();
  await store.append("loan-1", events);
  expect(await store.aggregate(Loan, "1").load()).toEqual(expected);
});

test("a snapshot taken in a transaction is not affected by mutations of the returned state", async () => {
  await using testStore = await open();
  const { store, db } = testStore;
  const loan = store.aggregate(Loan, "1");
  await loan.execute({ kind: "borrow", member: "ann" });
  await db.transaction(async (tx) => {
    const { state } = await loan.execute({ kind: "extend", days: 7 }, { tx });
    Object.assign(state, { member: "eve" });
  });
  await store.snapshotsTaken();
  expect(await db.fetchValue("SELECT version FROM framework_snapshots")).toBe(2);
  expect((await loan.load()).state).toMatchObject({ member: "ann" });
});

const Members: Decider<Map<string, number>, never, (typeof loanTypes)[number]> = decider({
  name: "members",
  events: loanTypes,
  initialState: () => new Map<string, number>(),
  decide: () => [],
  evolve: (state, event) =>
    event.type === "Borrowed"
      ? new Map(state).set(event.data.member, (state.get(event.data.member) ?? 0) + 1)
      : state,
});

test("a state that is not JSON has no snapshots, and the log names the remedy", async () => {
  await using testStore = await open();
  const { store, db, lines } = testStore;
  await store.append("members-1", [...events, Returned({})]);
  for (let count = 0; count < 2; count++) await store.aggregate(Members, "1").load();
  await store.snapshotsTaken();
  expect(await db.query("SELECT * FROM framework_snapshots")).toEqual([]);
  expect(lines).toEqual([
    {
      message: expect.stringContaining(
        "the state is a Map, which a snapshot cannot store; give the decider toSnapshot and fromSnapshot",
      ),
      fields: { fold: "members" },
    },
  ]);
});

test("toSnapshot and fromSnapshot allow snapshots of a state that is not JSON", async () => {
  await using testStore = await open();
  const { store, db } = testStore;
  const Mapped: typeof Members = {
    ...Members,
    fold: {
      ...Members.fold,
      toSnapshot: (state) => [...state],
      fromSnapshot: (json) => new Map(json as [string, number][]),
    },
  };
  await store.append("members-1", events);
  await store.aggregate(Mapped, "1").load();
  await store.snapshotsTaken();
  expect(await db.fetchValue("SELECT state FROM framework_snapshots")).toBe('[["ann",1]]');
  await store.append("members-1", Borrowed({ member: "ann" }));
  expect((await store.aggregate(Mapped, "1").load()).state).toEqual(new Map([["ann", 2]]));
});

test("a state above 1 MiB has no snapshot", async () => {
  await using testStore = await open();
  const { store, db, lines } = testStore;
  await store.append("loan-1", [Borrowed({ member: "x".repeat(600_000) }), Extended({ days: 1 })]);
  const Doubled: typeof Loan = {
    ...Loan,
    fold: {
      ...Loan.fold,
      toSnapshot: (state) => [state, state],
      fromSnapshot: () => Loan.fold.initialState(),
    },
  };
  await store.aggregate(Doubled, "1").load();
  await store.snapshotsTaken();
  expect(await db.query("SELECT * FROM framework_snapshots")).toEqual([]);
  expect(lines[0]?.message).toContain("larger than 1048576 bytes");
});

test("snapshotInterval is the number of events between two snapshots", async () => {
  const versionsWith = async (config: Partial<EventSourcingConfig>): Promise<readonly unknown[]> => {
    const db = openDatabase({ url: "sqlite://:memory:" });
    const store = await openEventStore({ events: loanTypes, ...config }, { db });
    for (let version = 1; version <= 6; version++) {
      await store.append("loan-1", version === 1 ? Borrowed({ member: "ann" }) : Extended({ days: 1 }));
      await store.aggregate(Loan, "1").load();
      await store.snapshotsTaken();
    }
    const rows = await db.query<{ version: number }>("SELECT version FROM framework_snapshots");
    await store.close();
    await db.close();
    return rows.map(({ version }) => version);
  };
  expect(await versionsWith({})).toEqual([]); // the default is 100
  expect(await versionsWith({ snapshotInterval: 4 })).toEqual([4]);
  expect(await versionsWith({ snapshotInterval: 5 })).toEqual([5]);
  expect(await versionsWith({ snapshotInterval: 4, enableSnapshots: false })).toEqual([]);
});

test("enableSnapshots: false does not read existing snapshots", async () => {
  await using testStore = await open();
  await takeSnapshot(testStore);
  const { db, store, lines } = testStore;
  await db.execute("UPDATE framework_snapshots SET checksum = ''");
  const log = {
    info: () => {},
    error: () => {},
    warn: () => void lines.push({ message: "a snapshot was read", fields: {} }),
  };
  await using withoutSnapshots = await openEventStore(
    { events: loanTypes, enableSnapshots: false },
    { db, log },
  );
  expect(await withoutSnapshots.aggregate(Loan, "1").load()).toMatchObject(expected);
  expect(lines).toEqual([]);
  await store.aggregate(Loan, "1").load();
  expect(lines).toHaveLength(1);
});
