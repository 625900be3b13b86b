import { openDatabase, sql } from "@framework/database";
import { expect, test } from "@jest/globals";
import type { StoreBase } from "../base/store-base.ts";
import { StoreCounts } from "../base/store-counts.ts";
import { openEventStore } from "../index.ts";
import { SkipLog } from "./skips.ts";

test("skips beyond the last 10,000 are deleted, also by a process that records few", async () => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  const store = await openEventStore({}, { db });
  const older = sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10500) SELECT i, i, '', 0 FROM n`;
  await db.execute`INSERT INTO framework_event_skips (from_position, to_position, evidence, recorded_at) ${older}`;
  const base = { db, now: sql`1000000`, counts: new StoreCounts() } as unknown as StoreBase; // its other members are not used
  const log = new SkipLog(base);
  await log.record([{ from: 10_501, to: 10_502 }], "{}");
  expect(
    await db.fetchOne("SELECT count(*) AS count, max(to_position) AS last FROM framework_event_skips"),
  ).toEqual({ count: 10_001, last: 10_502 });
  expect(base.counts.skippedPositions).toBe(2);
  await store.close();
  await db.close();
});
