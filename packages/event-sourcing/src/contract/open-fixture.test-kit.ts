import { type Database, openDatabase } from "@framework/database";
import { databaseInFile, databaseInSchema } from "@framework/database/testing";
import { openEventStore, type OpenEventStore } from "../open-event-store.ts";
import type { EventStoreFixture } from "./store-fixture.ts";

const silent = { info: () => {}, warn: () => {}, error: () => {} };

/** Creates a fixture that opens databases with `openOne`, which may return the same database each time. */
export const fixtureOn = (
  openOne: () => Database,
  drop: () => void | PromiseLike<void>,
): EventStoreFixture => {
  const opened: (OpenEventStore | Database)[] = [];
  const db = openOne();
  return {
    db,
    async open(config = {}) {
      const own = openOne();
      if (own !== db) opened.push(own);
      const store = await openEventStore(config, { db: opened.length <= 1 ? db : own, log: silent });
      opened.push(store);
      return store;
    },
    async [Symbol.asyncDispose]() {
      for (const each of opened.toReversed()) await each.close();
      await db.close();
      await drop();
    },
  };
};

export const memoryFixture = (): EventStoreFixture => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  return fixtureOn(
    () => db,
    () => {},
  );
};

export const fileFixture = (): EventStoreFixture => {
  const file = databaseInFile();
  return fixtureOn(
    () => openDatabase({ url: file.url, synchronous: "normal" }),
    () => file[Symbol.asyncDispose](),
  );
};

export const postgresFixture = async (server: string): Promise<EventStoreFixture> => {
  const schema = await databaseInSchema(server);
  return fixtureOn(
    () => openDatabase({ url: schema.url, poolSize: 20 }),
    () => schema[Symbol.asyncDispose](),
  );
};
