import { expect, test } from "@jest/globals";
import { databaseInFile } from "../testing.ts";
import { migrateInFourWorkers } from "./four-workers.test-kit.ts";

/** Rows that the migration counts, about 25 ns each. */
const ROWS = Number(process.env["MIGRATION_ROWS"] ?? 50_000_000);

test("on SQLite four workers wait for a slow migration longer than their limit for requests, and one runs it", async () => {
  await using file = databaseInFile();
  const digits = "VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)";
  const rows = Array.from({ length: 10 }, (_, at) => `d AS d${at}`).join(", ");
  const count = `SELECT count(*) FROM (WITH d(x) AS (${digits}) SELECT 1 FROM ${rows} LIMIT ${ROWS})`;
  const start = await migrateInFourWorkers(
    { url: file.url, connectionTimeoutSecs: 0.5 },
    `INSERT INTO migrated ${count}`,
  );
  expect(start).toMatchObject({ workers: 4, migrated: 1 });
  expect(start.longestMs).toBeGreaterThan(500); // otherwise the migration was not slow
});
