import { expectContractToCatch, portContract } from "@framework/core/testing";
import type { Database } from "@framework/database";
import { expect, test } from "@jest/globals";
import type { OpenEventStore } from "../index.ts";
import { eventStoreContract } from "./event-store-contract.ts";
import { memoryFixture } from "./open-fixture.test-kit.ts";
import type { EventStoreFixture } from "./store-fixture.ts";

/** A fixture whose stores have some methods replaced. */
const breakStore = (
  change: (store: OpenEventStore, db: Database) => Partial<OpenEventStore>,
): EventStoreFixture => {
  const fixture = memoryFixture();
  return {
    ...fixture,
    open: async (config) => {
      const store = await fixture.open(config);
      return { ...store, ...change(store, fixture.db) };
    },
  };
};

const faults: Readonly<Record<string, readonly [fact: string, change: Parameters<typeof breakStore>[0]]>> = {
  "ignores the expected version": [
    "an append is refused unless the stream has the expected version",
    (store) => ({
      append: (stream, events, options) => store.append(stream, events, { ...options, expected: "any" }),
    }),
  ],
  "ignores event ids": [
    "a repeated append returns the first result, with any expected version",
    (store) => ({
      append: (stream, events, options) =>
        store.append(
          stream,
          [events].flat().map(({ type, data }) => ({ type, data })),
          options,
        ),
    }),
  ],
  "ignores the transaction": [
    "an append in a transaction is committed or rolled back with it",
    (store) => ({
      append: (stream, events, { tx, ...options } = {}) =>
        tx === undefined ? store.append(stream, events, options) : Promise.resolve(fakeResult),
    }),
  ],
  "appends to one stream after the other": [
    "appends to several streams are atomic",
    (store) => ({
      appendMany: async (appends) => {
        const results = [];
        for (const { stream, events, ...options } of appends)
          results.push(await store.append(stream, events, options));
        return results;
      },
    }),
  ],
  "ignores the tenant": [
    "streams with the same name in two tenants are separate",
    (store) => ({
      append: (stream, events, options) => store.append(stream, events, { ...options, tenant: "" }),
    }),
  ],
  "loses events of archived streams": [
    "an archived stream is read as before, and accepts events only after restore",
    (store, db) => ({
      archive: async (stream, options) => {
        const archived = await store.archive(stream, options);
        await db.execute("DELETE FROM framework_archived_events");
        return archived;
      },
    }),
  ],
  "always returns the same position": [
    "readAll filters by type, category and tenant, and its position advances past the other events",
    (store) => ({
      readAll: async (options) => ({ ...(await store.readAll(options)), position: "00000000000" }),
    }),
  ],
  "does not forget persons": [
    "a forgotten person's fields are placeholders in every process, for read and readAll; other persons' fields are unchanged",
    () => ({ forget: async () => true }),
  ],
};

/** Result of a store that did not append. */
const fakeResult = { version: 1, position: "00000000001", isNew: true };

test.each(Object.entries(faults))("the contract catches a store that %s", async (_name, [fact, change]) => {
  const contract = portContract<EventStoreFixture>("event store", {
    [fact]: eventStoreContract.facts[fact] ?? (() => {}),
  });
  expect(await expectContractToCatch(contract, () => breakStore(change))).toEqual([fact]);
});
