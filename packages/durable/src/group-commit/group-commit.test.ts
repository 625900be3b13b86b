import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, openDatabase, type Transaction } from "@framework/database";
import { expect, test } from "@jest/globals";
import { groupCommit } from "./group-commit.ts";

const withFile = async (run: (db: Database) => Promise<void>): Promise<void> => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "durable-"));
  const db = openDatabase({ url: `sqlite://${join(folder.path, "group.db")}` });
  await db.execute("CREATE TABLE parents (id INTEGER PRIMARY KEY)");
  await db.execute(
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)",
  );
  try {
    await run(db);
  } finally {
    await db.close();
  }
};

/** Counts the transactions that reach the database. */
const countTransactions = (db: Database): { readonly db: Database; readonly begun: () => number } => {
  let begun = 0;
  const transaction: Database["transaction"] = (run, options) => {
    begun++;
    return db.transaction(run, options);
  };
  return { db: Object.create(db, { transaction: { value: transaction } }) as Database, begun: () => begun };
};

const insert =
  (id: number, parent: number | null = null) =>
  async (tx: Transaction): Promise<number> => {
    await tx.execute`INSERT INTO notes (id, parent) VALUES (${id}, ${parent})`;
    return id;
  };

const ids = async (db: Database): Promise<unknown> =>
  (await db.query<{ id: number }>("SELECT id FROM notes ORDER BY id")).map(({ id }) => id);

test("units of one tick share a transaction, and each gets its own result", async () => {
  await withFile(async (db) => {
    const { db: watched, begun } = countTransactions(db);
    const transaction = groupCommit(watched);
    const results = await Promise.all(Array.from({ length: 100 }, (_, id) => transaction(insert(id))));
    expect(results).toEqual(Array.from({ length: 100 }, (_, id) => id));
    expect(begun()).toBe(1);
    expect(await ids(db)).toHaveLength(100);
  });
});

test("units that arrive while a transaction runs share the next one", async () => {
  await withFile(async (db) => {
    const { db: watched, begun } = countTransactions(db);
    const transaction = groupCommit(watched);
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
    const first = transaction(async (tx) => {
      await insert(1)(tx);
      enter();
      await held;
    });
    await entered;
    const rest = [transaction(insert(2)), transaction(insert(3)), transaction(insert(4))];
    letGo();
    await Promise.all([first, ...rest]);
    expect(begun()).toBe(2);
  });
});

test("a unit of one statement runs without a transaction, unless it shares one with others", async () => {
  await withFile(async (db) => {
    const { db: watched, begun } = countTransactions(db);
    const transaction = groupCommit(watched);
    const add = (id: number): Promise<number> =>
      transaction(insert(id), async (queries) => {
        await queries.execute`INSERT INTO notes (id) VALUES (${-id})`;
        return -id;
      });
    expect([await add(1), begun()]).toEqual([-1, 0]);
    await expect(add(1)).rejects.toMatchObject({ kind: "unique" });
    expect([...(await Promise.all([add(2), add(3)])), begun()]).toEqual([2, 3, 1]);
    expect(await ids(db)).toEqual([-1, 2, 3]);
  });
});

test("a failing unit rolls back only itself", async () => {
  await withFile(async (db) => {
    const transaction = groupCommit(db);
    const outcomes = await Promise.allSettled([
      transaction(insert(1)),
      transaction(async (tx) => {
        await insert(2)(tx);
        throw new Error("changed my mind");
      }),
      transaction(insert(1)),
      transaction(insert(4)),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    expect(outcomes[1]).toMatchObject({ reason: { message: "changed my mind" } });
    expect(outcomes[2]).toMatchObject({ reason: { kind: "unique" } });
    expect(await ids(db)).toEqual([1, 4]);
  });
});

test("when the shared commit fails, only the unit that caused it is rejected", async () => {
  await withFile(async (db) => {
    const transaction = groupCommit(db);
    const outcomes = await Promise.allSettled([
      transaction(insert(1)),
      transaction(insert(2, 99)), // violates the constraint, which is checked at the commit
      transaction(insert(3)),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(outcomes[1]).toMatchObject({ reason: { kind: "foreign-key" } });
    expect(await ids(db)).toEqual([1, 3]);
  });
});

test("commit callbacks of a unit run if it is committed, and not if it fails", async () => {
  await withFile(async (db) => {
    const transaction = groupCommit(db);
    const called: string[] = [];
    await Promise.allSettled([
      transaction(async (tx) => {
        tx.onCommit(() => called.push("kept"));
        await insert(1)(tx);
      }),
      transaction(async (tx) => {
        tx.onCommit(() => called.push("undone"));
        throw new Error("no");
      }),
    ]);
    expect(called).toEqual(["kept"]);
  });
});

test("when too many units wait, the next unit is rejected with 503", async () => {
  await withFile(async (db) => {
    const transaction = groupCommit(db, { maxWaiting: 2 });
    const accepted = [transaction(insert(1)), transaction(insert(2))];
    await expect(transaction(insert(3))).rejects.toMatchObject({ status: 503, code: "DURABLE_BUSY" });
    await Promise.all(accepted);
    expect(await transaction(insert(3))).toBe(3);
  });
});

test("when the transaction cannot begin, every unit is rejected", async () => {
  await withFile(async (db) => {
    const transaction = groupCommit(db);
    await db.close();
    const outcomes = await Promise.allSettled([transaction(insert(1)), transaction(insert(2))]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: "DATABASE_CLOSED" } });
  });
});
