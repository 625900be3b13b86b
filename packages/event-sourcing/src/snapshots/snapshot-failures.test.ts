import { expect, test } from "@jest/globals";
import { Loan } from "../loan.test-kit.ts";
import { expected, open, takeSnapshot } from "./snapshots.test-kit.ts";

test("if toSnapshot throws, no snapshot is taken, and the command succeeds", async () => {
  await using testStore = await open();
  const { store, db, lines } = testStore;
  const error = new Error("not now");
  const Broken: typeof Loan = {
    ...Loan,
    fold: {
      ...Loan.fold,
      toSnapshot: () => {
        throw error;
      },
    },
  };
  const loan = store.aggregate(Broken, "1");
  await loan.execute({ kind: "borrow", member: "ann" });
  await loan.execute({ kind: "extend", days: 7 });
  const inside = db.transaction((tx) => loan.execute({ kind: "extend", days: 7 }, { tx }));
  expect((await inside).version).toBe(3);
  await store.snapshotsTaken();
  expect(await db.query("SELECT * FROM framework_snapshots")).toEqual([]);
  expect(lines).toEqual([
    { message: expect.stringContaining("could not be serialised"), fields: { fold: "loan", error } },
  ]);
});

test("an async toSnapshot that rejects does not end the process", async () => {
  await using testStore = await open();
  const { store, db, lines } = testStore;
  const unhandled: unknown[] = [];
  const listener = (error: unknown): void => void unhandled.push(error);
  process.on("unhandledRejection", listener);
  const Broken: typeof Loan = {
    ...Loan,
    fold: { ...Loan.fold, toSnapshot: () => Promise.reject(new Error("not now")) },
  };
  await takeSnapshot(testStore, Broken);
  await new Promise(setImmediate);
  process.off("unhandledRejection", listener);
  expect(unhandled).toEqual([]);
  expect(await db.query("SELECT * FROM framework_snapshots")).toEqual([]);
  expect(lines[0]?.message).toContain("the state is a Promise");
  expect(await store.aggregate(Broken, "1").load()).toEqual(expected);
});

const withFromSnapshot = (fromSnapshot: (typeof Loan)["fold"]["fromSnapshot"]): typeof Loan => ({
  ...Loan,
  fold: { ...Loan.fold, fromSnapshot },
});

test("if fromSnapshot throws, the snapshot is deleted, logged once, and not taken again", async () => {
  await using testStore = await open();
  const { store, db, lines } = testStore;
  await takeSnapshot(testStore);
  const error = new Error("not this shape");
  const Broken = withFromSnapshot(() => {
    throw error;
  });
  for (let load = 0; load < 3; load++) {
    expect(await store.aggregate(Broken, "1").load()).toEqual(expected);
    await store.snapshotsTaken();
    expect(await db.query("SELECT * FROM framework_snapshots")).toEqual([]);
  }
  expect(lines).toEqual([
    {
      message: "event-sourcing: a snapshot was ignored: fromSnapshot threw",
      fields: { fold: "loan", stream: "loan-1", tenant: "", error },
    },
  ]);
});

test("a snapshot in an earlier shape, for which fromSnapshot throws, is replaced", async () => {
  await using testStore = await open();
  const { store, db } = testStore;
  await takeSnapshot(testStore);
  const Wrapped: typeof Loan = {
    ...Loan,
    fold: {
      ...Loan.fold,
      toSnapshot: (state) => ({ loan: state }),
      fromSnapshot: (json) => {
        const { loan } = json as { loan?: typeof expected.state };
        if (loan === undefined) throw new Error("not this shape");
        return loan;
      },
    },
  };
  expect(await store.aggregate(Wrapped, "1").load()).toEqual(expected);
  await store.snapshotsTaken();
  expect(await db.fetchValue("SELECT state FROM framework_snapshots")).toBe(
    JSON.stringify({ loan: expected.state }),
  );
  expect(await store.aggregate(Wrapped, "1").load()).toEqual(expected);
});

test("a snapshot that cannot be taken or deleted is logged once per fold", async () => {
  await using testStore = await open();
  const { store, db, lines } = testStore;
  await takeSnapshot(testStore);
  await db.transaction((tx) =>
    tx.script(`UPDATE framework_snapshots SET checksum = '';
      CREATE TRIGGER unwritable BEFORE INSERT ON framework_snapshots BEGIN SELECT RAISE(FAIL, 'full'); END;
      CREATE TRIGGER undeletable BEFORE DELETE ON framework_snapshots BEGIN SELECT RAISE(FAIL, 'full'); END`),
  );
  const Other: typeof Loan = { ...Loan, fold: { ...Loan.fold, name: "other" } };
  for (let load = 0; load < 2; load++) {
    for (const each of [Loan, Other]) await store.aggregate(each, "1").load();
    await store.snapshotsTaken();
  }
  const fields = { stream: "loan-1", tenant: "" };
  expect(lines.slice(1)).toEqual([
    {
      message: "event-sourcing: an unusable snapshot was not deleted",
      fields: { ...fields, fold: "loan", error: expect.anything() },
    },
    {
      message: "event-sourcing: a snapshot was not taken",
      fields: { ...fields, fold: "loan", error: expect.anything() },
    },
    {
      message: "event-sourcing: a snapshot was not taken",
      fields: { ...fields, fold: "other", error: expect.anything() },
    },
  ]);
});
