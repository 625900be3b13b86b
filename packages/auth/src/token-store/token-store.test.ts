import type { SharedValues } from "@framework/core/feature";
import { expectContractToCatch, inProcessState, virtualClock } from "@framework/core/testing";
import { describe, expect, test } from "@jest/globals";
import { openSharedTokenStore, type TokenStore } from "../index.ts";
import { tokenStoreContract, type TokenStoreFixture } from "../testing.ts";

const start = Date.parse("2026-01-01T00:00:00Z");

const makeInOneProcess = async (): Promise<TokenStoreFixture> => {
  const clock = virtualClock({ start });
  const { now, advance } = clock;
  const store = await openSharedTokenStore(inProcessState({ clock }).values, { clock });
  return { views: [store, store], now, advance };
};
tokenStoreContract(test, makeInOneProcess);

const makeInTwoWorkers = async (): Promise<TokenStoreFixture> => {
  const clock = virtualClock({ start });
  const { now, advance } = clock;
  const state = inProcessState({ clock }).values;
  return {
    views: [await openSharedTokenStore(state, { clock }), await openSharedTokenStore(state, { clock })],
    now,
    advance,
  };
};
describe("in two workers", () => {
  tokenStoreContract(test, makeInTwoWorkers);
});

/** Stores that each break one rule of the contract. */
const broken: Readonly<Record<string, (fixture: TokenStoreFixture) => TokenStore>> = {
  "loses every revocation": ({ views: [store] }) => ({ ...store, revoke: () => {} }),
  "reports every id as revoked": ({ views: [store] }) => ({ ...store, isRevoked: () => true }),
  "compares only the first character": ({ views: [store] }) => ({
    ...store,
    revoke: (id, at) => store.revoke(id.slice(0, 1), at),
    isRevoked: (id) => store.isRevoked(id.slice(0, 1)),
  }),
  "drops revocations early": ({ views: [store], now }) => ({
    ...store,
    revoke: (id) => store.revoke(id, Math.ceil(now() / 1000) + 1),
  }),
  "consumes a generation repeatedly": ({ views: [store] }) => ({ ...store, consume: () => true }),
  "consumes nothing": ({ views: [store] }) => ({ ...store, consume: () => false }),
  "consumes an earlier generation": ({ views: [store] }) => ({
    ...store,
    consume: (id, generation, at) => store.consume(`${id}/${generation}`, 0, at),
  }),
  "ends a revocation by a consumption": ({ views: [store] }) => {
    const revoked = new Set<string>();
    return {
      ...store,
      revoke: (id, at) => (revoked.add(id), store.revoke(id, at)),
      isRevoked: async (id) => revoked.has(id) && (await store.isRevoked(id)),
      consume: async (id, generation, at) => (revoked.delete(id), store.consume(id, generation, at)),
    };
  },
  "forgets a generation early": ({ views: [store], now }) => ({
    ...store,
    consume: (id, generation) => store.consume(id, generation, Math.ceil(now() / 1000) + 1),
  }),
  "reports consumed ids as revoked": ({ views: [store] }) => ({
    ...store,
    consume: async (id, generation, at) =>
      (await store.consume(id, generation, at)) && (await store.revoke(id, at), true),
  }),
};

test.each(Object.entries(broken))("the contract catches a store that %s", async (_name, breakIt) => {
  const make = async (): Promise<TokenStoreFixture> => {
    const fixture = await makeInOneProcess();
    const store = breakIt(fixture);
    return { ...fixture, views: [store, store] };
  };
  expect(await expectContractToCatch(tokenStoreContract, make)).not.toEqual([]);
});

test("no lookups happen before the first revocation, which a worker that starts later sees", async () => {
  const state = inProcessState().values;
  let reads = 0;
  const counting: SharedValues = { ...state, get: (key) => (reads++, state.get(key)) };
  const openedFirst = await openSharedTokenStore(counting);
  reads = 0;
  expect([openedFirst.isRevoked("a"), reads]).toEqual([false, 0]);
  const inAYear = Date.now() / 1000 + 31_536_000;
  await (await openSharedTokenStore(state)).revoke("a", inAYear);
  expect([await openedFirst.isRevoked("a"), await openedFirst.isRevoked("b"), reads]).toEqual([
    true,
    false,
    2,
  ]);
  expect(await (await openSharedTokenStore(state)).isRevoked("a")).toBe(true);
});

test("with values that several hosts share, a store looks ids up even without a notification, which a host may miss", async () => {
  const state: SharedValues = { ...inProcessState().values, isPersistent: true, publish: async () => true };
  const store = await openSharedTokenStore(state);
  await (await openSharedTokenStore(state)).revoke("a", Date.now() / 1000 + 60);
  expect(await store.isRevoked("a")).toBe(true);
});

test("a closed store receives no more notifications", async () => {
  const state = inProcessState().values;
  const store = await openSharedTokenStore(state);
  store.close();
  await (await openSharedTokenStore(state)).revoke("a", Date.now() / 1000 + 60);
  expect(store.isRevoked("a")).toBe(false);
});
