import { databaseInFile } from "@framework/database/testing";
import { expect, test } from "@jest/globals";
import { openEventStore, projection } from "../../index.ts";
import { MAX_PART_EVENTS } from "../../limits.ts";

test("a part of 100,000 events is rebuilt; one with more is refused without changes", async () => {
  await using file = databaseInFile();
  let applied = 0;
  const counted = projection<never, "counted">({
    name: "counted",
    inline: true, // an inline view need not read the events before the test
    batchSize: 1000,
    tables: { counted: "part TEXT NOT NULL" },
    clear: (tx, _part, { tables }) => tx.execute`DELETE FROM ${tables.counted}`,
    apply: async (_tx, events) => void (applied += events.length),
  });
  await using store = await openEventStore({ connectionUrl: file.url, projections: [counted] });
  await store.db.execute("INSERT INTO counted_v1 VALUES ('cleared')");
  const add = (from: number, to: number): Promise<unknown> => store.db.execute`
    WITH RECURSIVE n(n) AS (VALUES (${from}) UNION ALL SELECT n + 1 FROM n WHERE n < ${to})
    INSERT INTO framework_events (position, tenant, stream, version, event_id, category, type, schema_version, data, recorded_at)
    SELECT n, '', 'loan-1', n, 'e' || n, 'loan', 'Lent', 1, '{}', 0 FROM n`;
  const rows = (): Promise<unknown> => store.db.fetchValue("SELECT count(*) FROM counted");
  const rebuild = (): Promise<number> => store.projections.rebuildPart("counted", { stream: "loan-1" });

  await add(1, MAX_PART_EVENTS);
  expect([await rebuild(), applied, await rows()]).toEqual([MAX_PART_EVENTS, MAX_PART_EVENTS, 0]);
  await store.db.execute("INSERT INTO counted_v1 VALUES ('stays')");
  await add(MAX_PART_EVENTS + 1, MAX_PART_EVENTS + 1);
  await expect(rebuild()).rejects.toMatchObject({
    code: "EVENTS_PART_REFUSED",
    message: expect.stringContaining("more than 100000 events; raise `version` instead"),
  });
  expect(await rows()).toBe(1);
}, 120_000);
