import { type Database, openDatabase, sql } from "@framework/database";
import { databaseInSchema, type TestDatabase } from "@framework/database/testing";
import { openEventStore, type OpenEventStore } from "../open-event-store.ts";
import type { EventStoreFixture } from "./store-fixture.ts";

const silent = { info: () => {}, warn: () => {}, error: () => {} };

/** Creates fixtures, one at a time. */
export type EventStoreFixtures = (() => Promise<EventStoreFixture>) & AsyncDisposable;

/** Creates fixtures in one schema, which is emptied for each. New tables and connections for each test would take most of the time. */
export const postgresFixtures = (server: string): EventStoreFixtures => {
  let schema: Promise<TestDatabase> | null = null;
  const dbs: Database[] = [];
  const make = async (): Promise<EventStoreFixture> => {
    const { url } = await (schema ??= databaseInSchema(server));
    const at = (index: number): Database => (dbs[index] ??= openDatabase({ url, poolSize: 20 }));
    const db = at(0);
    await clear(db);
    const stores: OpenEventStore[] = [];
    return {
      db,
      async open(config = {}) {
        const store = await openEventStore(config, { db: at(stores.length), log: silent });
        stores.push(store);
        return store;
      },
      async [Symbol.asyncDispose]() {
        for (const each of stores.toReversed()) await each.close();
      },
    };
  };
  return Object.assign(make, {
    async [Symbol.asyncDispose]() {
      for (const each of dbs) await each.close();
      await (await schema)?.[Symbol.asyncDispose]();
    },
  });
};

/** Empties the tables of features except the tables of migrations, and drops the tables of projections. */
const clear = async (db: Database): Promise<void> => {
  const tables = await db.query<{ name: string }>`SELECT tablename AS name FROM pg_tables
    WHERE schemaname = current_schema() AND tablename NOT LIKE '%migration%'`;
  if (tables.length === 0) return;
  const names = tables.map(({ name }) => name);
  const deletions = names.filter(isOwn).map((name) => `DELETE FROM ${name};`); // TRUNCATE would create new files
  await db.transaction((tx) => tx.script(deletions.join("")));
  await db.execute("ALTER SEQUENCE framework_event_positions RESTART");
  for (const name of names) if (!isOwn(name)) await db.execute`DROP TABLE ${sql.identifier(name)} CASCADE`;
};

const isOwn = (name: string): boolean => name.startsWith("framework_");
