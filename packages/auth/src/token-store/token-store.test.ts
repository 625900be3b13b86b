import type { SharedValues } from "@framework/core/feature";
import { expectContractToCatch, inProcessState, virtualClock } from "@framework/core/testing";
import { describe, expect, test } from "@jest/globals";
import { openSharedTokenStore, type TokenStore } from "../index.ts";
import { tokenStoreContract, type TokenStoreFixture } from "../testing.ts";

const start = Date.parse("2026-01-01T00:00:00Z");

const inOneProcess = async (): Promise<TokenStoreFixture> => {
  const clock = virtualClock({ start });
  const { now, advance } = clock;
  const store = await openSharedTokenStore(inProcessState({ clock }).values, { now });
  return { views: [store, store], now, advance };
};
tokenStoreContract(test, inOneProcess);

const ofTwoWorkers = async (): Promise<TokenStoreFixture> => {
  const clock = virtualClock({ start });
  const { now, advance } = clock;
  const state = inProcessState({ clock }).values;
  return {
    views: [await openSharedTokenStore(state, { now }), await openSharedTokenStore(state, { now })],
    now,
    advance,
  };
};
describe("in two workers", () => {
  tokenStoreContract(test, ofTwoWorkers);
});

/** Stores that each break one rule of the contract. */
const broken: Readonly<Record<string, (fixture: TokenStoreFixture) => TokenStore>> = {
  "forgets at once": ({ views: [store] }) => ({ ...store, revoke: () => {} }),
  "revokes everybody": ({ views: [store] }) => ({ ...store, isRevoked: () => true }),
  "revokes by the first character": ({ views: [store] }) => ({
    ...store,
    revoke: (id, at) => store.revoke(id.slice(0, 1), at),
    isRevoked: (id) => store.isRevoked(id.slice(0, 1)),
  }),
  "forgets early": ({ views: [store], now }) => ({
    ...store,
    revoke: (id) => store.revoke(id, Math.ceil(now() / 1000) + 1),
  }),
  "lets many be first": ({ views: [store] }) => ({ ...store, consume: () => true }),
  "lets nobody be first": ({ views: [store] }) => ({ ...store, consume: () => false }),
  "takes used up for revoked": ({ views: [store] }) => ({
    ...store,
    consume: async (id, at) => (await store.consume(id, at)) && (await store.revoke(id, at), true),
  }),
};

test.each(Object.entries(broken))("the contract catches a store that %s", async (_name, breakIt) => {
  const make = async (): Promise<TokenStoreFixture> => {
    const fixture = await inOneProcess();
    const store = breakIt(fixture);
    return { ...fixture, views: [store, store] };
  };
  expect(await expectContractToCatch(tokenStoreContract, make)).not.toEqual([]);
});

test("no lookups happen before the first revocation, which a worker that starts later sees", async () => {
  const state = inProcessState().values;
  let asked = 0;
  const counting: SharedValues = { ...state, get: (key) => (asked++, state.get(key)) };
  const early = await openSharedTokenStore(counting);
  asked = 0;
  expect([early.isRevoked("a"), asked]).toEqual([false, 0]);
  const inAYear = Date.now() / 1000 + 31_536_000;
  await (await openSharedTokenStore(state)).revoke("a", inAYear);
  expect([await early.isRevoked("a"), await early.isRevoked("b"), asked]).toEqual([true, false, 2]);
  expect(await (await openSharedTokenStore(state)).isRevoked("a")).toBe(true);
});

test("a closed store receives no more notifications", async () => {
  const state = inProcessState().values;
  const store = await openSharedTokenStore(state);
  store.close();
  await (await openSharedTokenStore(state)).revoke("a", Date.now() / 1000 + 60);
  expect(store.isRevoked("a")).toBe(false);
});
