import { expect, test } from "@jest/globals";
import { openDatabase, sql, type Transaction } from "./index.ts";
import { databaseInFile } from "./testing.ts";

test("a stream that its transaction leaves open does not block writes after another process has written", async () => {
  await using file = databaseInFile();
  const [own, other] = [openDatabase({ url: file.url }), openDatabase({ url: file.url })];
  await own.execute("CREATE TABLE things (id INTEGER)");
  await own.execute("INSERT INTO things VALUES (1), (2), (3)");
  const open: AsyncIterator<object>[] = [];
  const read = async (tx: Transaction): Promise<void> => {
    const rows = tx.stream(sql`SELECT id FROM things`, { batchSize: 1 });
    open.push(rows);
    expect(await rows.next()).toMatchObject({ value: { id: 1 } });
  };
  await own.transaction(read);
  await other.execute("INSERT INTO things VALUES (4)");
  await own.execute("INSERT INTO things VALUES (5)");

  const failed = own.transaction((tx) => read(tx).then(() => Promise.reject(new Error("no"))));
  await expect(failed).rejects.toThrow("no");
  await other.execute("INSERT INTO things VALUES (6)");
  await own.execute("INSERT INTO things VALUES (7)");
  await expect(open[0]?.next()).rejects.toMatchObject({ code: "DATABASE_TRANSACTION_OVER" });
  await own.close();
  await other.close();
});

test("a PRAGMA in a stream of a transaction does not affect later callers", async () => {
  await using file = databaseInFile();
  const db = openDatabase({ url: file.url });
  const before = await db.fetchValue("PRAGMA cache_size");
  await db.transaction(async (tx) => {
    for await (const row of tx.stream(sql`PRAGMA cache_size = 77`)) expect(row).toBeDefined();
  });
  expect(await db.fetchValue("PRAGMA cache_size")).toBe(before);
  await db.close();
});

test("a change of a list of values after the call has no effect, also on a statement that waits", async () => {
  await using file = databaseInFile();
  const db = openDatabase({ url: file.url, connectionTimeoutSecs: 60 });
  await db.execute("CREATE TABLE things (id INTEGER)");
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = db.transaction(async () => {
    begun.resolve();
    await end.promise;
  });
  await begun.promise;
  const values = [1];
  const inserted = db.execute("INSERT INTO things VALUES ($1)", values);
  values[0] = 2;
  end.resolve();
  await holding;
  await inserted;
  expect(await db.fetchValue("SELECT id FROM things")).toBe(1);
  await db.close();
});

test("a stream yields no row after its signal has aborted", async () => {
  await using file = databaseInFile();
  const db = openDatabase({ url: file.url });
  const stopping = new AbortController();
  const rows = db.until(stopping.signal).stream(sql`VALUES (1), (2)`, { batchSize: 1 });
  await rows.next();
  const next = rows.next();
  stopping.abort(new Error("stopped"));
  await expect(next).rejects.toThrow("stopped");
  await db.close();
});

test("a notification on a closed database is refused", async () => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  await db.close();
  await expect(db.notify("news")).rejects.toMatchObject({ code: "DATABASE_CLOSED" });
});
