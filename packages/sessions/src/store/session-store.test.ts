import { expectContractToCatch, inProcessState, virtualClock } from "@framework/core/testing";
import { openDatabase } from "@framework/database";
import { waitFor } from "@framework/testing";
import { describe, expect, jest, test } from "@jest/globals";
import { databaseSessions } from "../database.ts";
import { type SessionStore, sharedSessionStore } from "../index.ts";
import { sessionStoreContract, type SessionStoreFixture } from "../testing.ts";

const start = 1_800_000_000_000;

const inSharedState = (): SessionStoreFixture => {
  const clock = virtualClock({ start });
  const { values } = inProcessState({ clock });
  return { views: [sharedSessionStore(values), sharedSessionStore(values)], advance: clock.advance };
};

const inSqlite = (): SessionStoreFixture => {
  const clock = virtualClock({ start });
  const db = openDatabase({ url: "sqlite://:memory:" });
  const views = [databaseSessions(db, { clock }), databaseSessions(db, { clock })] as const;
  return { views, advance: clock.advance, close: () => db.close() };
};

describe("in shared state", () => {
  sessionStoreContract(test, inSharedState);
});
describe("on SQLite", () => {
  sessionStoreContract(test, inSqlite);
});

/** Stores that each break one rule of the contract. */
const brokenStores: Readonly<Record<string, (store: SessionStore) => SessionStore>> = {
  "loses entries": (store) => ({ ...store, read: () => null }),
  "ignores the version": (store) => ({
    ...store,
    async write(key, content, { ttlMs }) {
      const found = await store.read(key);
      return store.write(key, content, {
        version: found === null || found === "ended" ? 0 : found.version,
        ttlMs,
      });
    },
  }),
  "reports every write as done": (store) => ({
    ...store,
    write: async (...args) => (await store.write(...args), true),
  }),
  "reports no write as done": (store) => ({
    ...store,
    write: async (...args) => (await store.write(...args), false),
  }),
  "ends nothing": (store) => ({ ...store, end: () => true }),
  "ends every version": (store) => ({ ...store, end: (key, ttlMs) => store.end(key, ttlMs) }),
  "reports every end as done": (store) => ({
    ...store,
    end: async (...args) => (await store.end(...args), true),
  }),
  "reports no end as done": (store) => ({
    ...store,
    end: async (...args) => (await store.end(...args), false),
  }),
  "reads the version before it ends it": (store) => ({
    ...store,
    async end(key, ttlMs, version) {
      const found = await store.read(key);
      const isVersion = found !== null && found !== "ended" && found.version === version;
      return (version === undefined || isVersion) && store.end(key, ttlMs);
    },
  }),
  "forgets an end early": (store) => ({
    ...store,
    end: (key, _ttlMs, version) => store.end(key, 1, version),
  }),
  "compares only the first character": (store) => ({
    ...store,
    read: (key) => store.read(key.slice(0, 1)),
    write: (key, content, options) => store.write(key.slice(0, 1), content, options),
  }),
  "keeps expired entries": (store) => ({
    ...store,
    write: (key, content, { version }) => store.write(key, content, { version, ttlMs: 1_000_000 }),
  }),
  "drops entries early": (store) => ({
    ...store,
    write: (key, content, { version }) => store.write(key, content, { version, ttlMs: 1000 }),
  }),
  "lowers numbers": (store) => {
    let latest = 0;
    return { ...store, raise: (_key, value) => ((latest = value), true), number: () => latest };
  },
  "forgets numbers early": (store) => ({ ...store, raise: (key, value) => store.raise(key, value, 1000) }),
  "keeps numbers among the entries": (store) => ({
    ...store,
    number: async (key) => (await store.number(key)) + ((await store.read(key)) === null ? 0 : 1),
  }),
};

test.each(Object.entries(brokenStores))("the contract catches a store that %s", async (_name, breakIt) => {
  const make = (): SessionStoreFixture => {
    const fixture = inSharedState();
    const store = breakIt(fixture.views[0]);
    return { ...fixture, views: [store, store] };
  };
  expect(await expectContractToCatch(sessionStoreContract, make)).not.toEqual([]);
});

test("expired rows are removed while others are written", async () => {
  const clock = virtualClock({ start });
  const db = openDatabase({ url: "sqlite://:memory:" });
  const store = databaseSessions(db, { clock });
  for (let at = 0; at < 20; at++) await store.write(`old ${at}`, 1, { version: 0, ttlMs: 1000 });
  await clock.advance(2000);
  await store.write("live", 1, { version: 0, ttlMs: 60_000 });
  for (let at = 0; at < 500; at++) await store.raise("number", at + 1, 60_000);
  const rows = (): Promise<unknown> => db.fetchValue`SELECT count(*) FROM framework_sessions`;
  await waitFor(async () => (await rows()) === 1, {
    subject: "the removal of expired rows",
    timeoutMs: 60_000,
  });
  expect(await store.read("live")).toEqual({ version: 1, content: 1 });
  await db.close();
});

test("a failed removal of expired rows is reported, and writes still succeed", async () => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  const failed = Promise.withResolvers<unknown>();
  const onSweepError = (error: unknown): void => {
    failed.resolve(error);
    throw new Error("a bug in onSweepError");
  };
  const emitWarning = jest.spyOn(process, "emitWarning").mockImplementation(() => {});
  const store = databaseSessions(db, { onSweepError });
  expect(await store.write("a", 0, { version: 0, ttlMs: 60_000 })).toBe(true);
  await db.execute`UPDATE framework_sessions SET expires_at = 0`;
  await db.execute`INSERT INTO framework_sessions (id, version, content, expires_at) VALUES ('b', 1, '0', 1e15)`;
  await db.execute`CREATE TRIGGER keep BEFORE DELETE ON framework_sessions BEGIN SELECT RAISE(ABORT, 'kept'); END`;
  for (let version = 1; version < 500; version++)
    expect(await store.write("b", version, { version, ttlMs: 60_000 })).toBe(true);
  expect(String(await failed.promise)).toContain("kept");
  expect(emitWarning.mock.calls).toEqual([
    ["sessions: expired rows were not removed", { detail: "a bug in onSweepError" }],
  ]);
  emitWarning.mockRestore();
  await db.close();
});
