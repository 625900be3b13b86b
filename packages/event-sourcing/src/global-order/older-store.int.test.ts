import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import type { Database } from "@framework/database";
import { expect, test } from "@jest/globals";
import { postgresFixture } from "../contract/open-fixture.test-kit.ts";
import { plain } from "../contract/store-fixture.ts";
import { type OpenEventStore, projection } from "../index.ts";

const TABLES = ["framework_events", "framework_streams", "framework_projection_shards", "seen_v1"];
const longTimeout = { timeoutMs: 60_000 };

/** Copies the tables, and returns a function that restores the database from the copies. */
const backup = async (db: Database): Promise<() => Promise<void>> => {
  for (const table of TABLES) await db.execute(`CREATE TABLE old_${table} AS SELECT * FROM ${table}`);
  return () =>
    db.transaction(async (tx) => {
      for (const table of TABLES)
        await tx.script(`DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM old_${table}`);
      await tx.script(
        "SELECT setval('framework_event_positions', (SELECT max(position) FROM framework_events))",
      );
    });
};

const seen = projection<never, "seen">({
  name: "seen",
  tables: { seen: "stream TEXT NOT NULL" },
  async apply(tx, events, { tables }) {
    for (const { stream } of events) await tx.execute`INSERT INTO ${tables.seen} VALUES (${stream})`;
  },
});

const add = async (store: OpenEventStore, kind: string, count: number): Promise<string> => {
  let last = "";
  for (let at = 0; at < count; at++)
    last = (await store.append(`${kind}-${at}`, plain("A"))).position ?? last;
  return last;
};

const streams = (db: Database, table: string): Promise<{ stream: string }[]> =>
  db.query<{ stream: string }>(`SELECT stream FROM ${table} ORDER BY stream`);

withServer("postgres", (server) => {
  test.each([1, 20, 300])(
    "views and subscriptions get the %d events appended after the store was restored to an older state in a running process",
    async (count) => {
      await using fixture = await postgresFixture(server);
      const { db } = fixture;
      const store = await fixture.open({ projections: [seen] });
      const got: string[] = [];
      await using subscription = store.subscribe({}, ({ stream }) => void got.push(stream));
      expect(await store.waitFor(await add(store, "kept", 50), longTimeout)).toBe(true);
      const rewind = await backup(db);
      const last = await add(store, "lost", 150);
      expect(await store.waitFor(last, longTimeout)).toBe(true);
      await waitFor(() => subscription.position >= last, longTimeout);
      await rewind();
      expect(await store.waitFor(await add(store, "new", count), longTimeout)).toBe(true);
      expect(await streams(db, "seen")).toEqual(await streams(db, "framework_events"));
      await waitFor(() => got.includes(`new-${count - 1}`), longTimeout);
      const received = new Set(got.filter((stream) => stream.startsWith("new-")));
      expect(received.size).toBe(count);
    },
    240_000,
  );

  test("a view with events that the store has lost stops with an error", async () => {
    await using fixture = await postgresFixture(server);
    const first = await fixture.open({ projections: [seen] });
    await first.waitFor(await add(first, "lost", 3), longTimeout);
    await first.close();
    await fixture.db.execute("DELETE FROM framework_events WHERE position > 1");
    const store = await fixture.open({ projections: [seen] });
    const errors = async (): Promise<string> => (await store.projections.status())[0]?.errors[0] ?? "";
    await waitFor(async () => (await errors()) !== "", longTimeout);
    expect(await errors()).toContain("the view seen 1 has events that the store has lost");
  }, 120_000);
});
