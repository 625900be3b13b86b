import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "@jest/globals";
import { type Database, openDatabase, sql } from "./index.ts";

const program = `
import { openDatabase } from ${JSON.stringify(new URL("./index.ts", import.meta.url).href)};
const db = openDatabase({ url: process.argv[1], connectionTimeoutSecs: 30 });
for (let n = 0; n < 100; n++) await db.transaction(async (tx) => {
  const value = await tx.fetchValue("SELECT n FROM counter");
  await tx.execute("UPDATE counter SET n = $1", [value + 1]);
});
await db.close();
`;

test("four processes that write one file lose no update and get no lock error", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "database-"));
  const url = `sqlite://${join(folder.path, "shared.db")}`;
  const db = openDatabase({ url });
  await db.execute("CREATE TABLE counter (n INTEGER)");
  await db.execute("INSERT INTO counter VALUES (0)");
  const args = ["--conditions=@framework/source", "--input-type=module", "-e", program, url];
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, args, {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, NODE_OPTIONS: "" },
    }),
  );
  const ends = await Promise.all(children.map((child) => once(child, "exit")));
  expect(ends).toEqual(children.map(() => [0, null]));
  expect(await db.fetchValue("SELECT n FROM counter")).toBe(400);
  await db.close();
});

const rowsOf = async (stream: AsyncIterable<object>): Promise<object[]> => {
  const rows: object[] = [];
  for await (const row of stream) rows.push(row);
  return rows;
};

test("opening a file waits up to connectionTimeoutSecs for another process's lock, without blocking this process", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "database-"));
  const file = join(folder.path, "locked.db");
  const other = new DatabaseSync(file);
  other.exec("CREATE TABLE counter (n INTEGER); INSERT INTO counter VALUES (1); BEGIN EXCLUSIVE");
  const impatient = openDatabase({ url: `sqlite://${file}`, connectionTimeoutSecs: 0.01 });
  const text = "SELECT n FROM counter";
  await expect(impatient.fetchValue(text)).rejects.toMatchObject({
    status: 503,
    reason: "another process holds the lock",
  });
  await impatient.close();
  const patient = Array.from({ length: 4 }, () => openDatabase({ url: `sqlite://${file}` }));
  const [reads, writes, streams, begins] = patient as [Database, Database, Database, Database];
  const waiting = Promise.all([
    reads.fetchValue(text),
    writes.execute("UPDATE counter SET n = n"),
    rowsOf(streams.stream(sql`SELECT n FROM counter`)),
    begins.transaction((tx) => tx.fetchValue(text)),
  ]);
  other.exec("COMMIT"); // not reached if opening blocked this thread
  other.close();
  expect(await waiting).toEqual([1, { changes: 1 }, [{ n: 1 }], 1]);
  for (const db of patient) await db.close();
});
