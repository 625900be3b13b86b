// One operation with every kind of statement, the list of its statements, and the rows left by a crash at each. Also run in processes that are killed.
import { type Database, sql, type Statement } from "../index.ts";
import type { Crash } from "../testing.ts";

export const table = "CREATE TABLE things (id INTEGER PRIMARY KEY)";

export const add = (id: number): Statement => sql`INSERT INTO things VALUES (${id})`;

const ignored = (): void => {};

export const scenario = async (db: Database): Promise<void> => {
  await db.execute(add(1));
  await db.transaction(async (tx) => {
    await tx.execute(add(2));
    await tx.transaction((inner) => inner.script("INSERT INTO things VALUES (3)"));
    const undone = tx.transaction(async (inner) => {
      await inner.execute(add(4));
      throw new Error("undo");
    });
    await undone.catch(ignored);
  });
  const undone = db.transaction(async (tx) => {
    await tx.execute(add(5));
    throw new Error("undo");
  });
  await undone.catch(ignored);
  await db.execute(add(6));
};

const INSERT = "INSERT INTO things VALUES ($1)";

export const scenarioStatements: readonly string[] = [
  INSERT,
  "BEGIN",
  INSERT,
  "SAVEPOINT",
  "INSERT INTO things VALUES (3)",
  "RELEASE SAVEPOINT",
  "SAVEPOINT",
  INSERT,
  "ROLLBACK TO SAVEPOINT",
  "COMMIT",
  "BEGIN",
  INSERT,
  "ROLLBACK",
  INSERT,
];

const COMMIT = 10;

/** The rows after a crash: the commit adds 2 and 3. */
export const rowsAfter = ({ at, when }: Crash): readonly number[] => {
  const executed = when === "after" ? at : at - 1;
  return [
    ...(executed >= 1 ? [1] : []),
    ...(executed >= COMMIT ? [2, 3] : []),
    ...(executed >= 14 ? [6] : []),
  ];
};

/** Simulated crashes that are compared with killed processes. */
export const comparedCrashes: readonly Crash[] = [
  { at: 3, when: "after" },
  { at: COMMIT, when: "before" },
  { at: COMMIT, when: "after" },
];
