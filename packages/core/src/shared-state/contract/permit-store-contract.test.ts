import { expect, test } from "@jest/globals";
import { expectContractToCatch } from "../../contract/planted-fault.ts";
import type { PortFixture } from "../../contract/port-contract.ts";
import type { Awaitable } from "../../middleware/middleware.ts";
import { virtualClock } from "../../runtime/virtual-clock.ts";
import { inProcessPermits } from "../permits/in-process-permits.ts";
import type { PermitRule, PermitStore, SpendResult } from "../permits/permits.ts";
import { permitStoreContract } from "./permit-store-contract.ts";

type StoreFixture = PortFixture<PermitStore>;

const createStore = (): { readonly store: PermitStore; readonly advance: (ms: number) => Promise<void> } => {
  const clock = virtualClock();
  return { store: inProcessPermits({ clock }), advance: clock.advance };
};

permitStoreContract(test, () => {
  const { store, advance } = createStore();
  return { views: [store, store], advance };
});

type Take = (...call: Parameters<PermitStore["take"]>) => Awaitable<SpendResult>;

const withTake = (change: (take: Take) => Take) => (): StoreFixture => {
  const { store, advance } = createStore();
  const take = change((...call) => store.take(...call));
  return { views: [{ take }, { take }], advance };
};

/** A faulty store that counts in fixed windows, each of which begins with its first request. */
const fixedWindows = (): StoreFixture => {
  let now = 0;
  const counts = new Map<string, { used: number; endsAt: number }>();
  const take = (key: string, { capacity, windowMs }: PermitRule, { spend }: { readonly spend: number }) => {
    let count = counts.get(key);
    if (count === undefined || count.endsAt <= now) count = { used: 0, endsAt: now + windowMs };
    const spent = Math.min(spend, capacity - count.used);
    count.used += spent;
    if (spend > 0) counts.set(key, count);
    const [free, waitMs] = [capacity - count.used, count.endsAt - now];
    return { spent, free, waitMs: free > 0 ? 0 : waitMs, resetMs: count.used === 0 ? 0 : waitMs };
  };
  return { views: [{ take }, { take }], advance: (ms) => void (now += ms) };
};

const faultyStores: Readonly<Record<string, () => StoreFixture>> = {
  "counts per process": () => {
    const [a, b] = [createStore(), createStore()];
    const advance = async (ms: number): Promise<void> => {
      await a.advance(ms);
      await b.advance(ms);
    };
    return { views: [a.store, b.store], advance };
  },
  "checks and spends in two steps": withTake((take) => async (key, rule, request) => {
    const { free } = await take(key, rule, { spend: 0 });
    const result = await take(key, rule, request);
    return { ...result, spent: Math.min(free, request.spend) };
  }),
  "uses fixed windows": fixedWindows,
  "uses the wall clock of the caller": () => {
    let advancedMs = 0;
    const store = inProcessPermits({ clock: { now: () => Date.now() + advancedMs } });
    return { views: [store, store], advance: (ms) => void (advancedMs += ms) };
  },
  "spends all or nothing": withTake((take) => async (key, rule, request) => {
    const { free } = await take(key, rule, { spend: 0 });
    return take(key, rule, { spend: free < request.spend ? 0 : request.spend });
  }),
  "rounds windows up to whole seconds": withTake((take) => (key, rule, request) => {
    return take(key, { ...rule, windowMs: Math.ceil(rule.windowMs / 1000) * 1000 }, request);
  }),
  "returns too short a wait": withTake((take) => async (...call) => {
    const result = await take(...call);
    return { ...result, waitMs: result.waitMs / 2 };
  }),
  "keeps the first capacity": () => {
    const first = new Map<string, PermitRule>();
    return withTake((take) => (key, rule, request) => {
      first.set(key, first.get(key) ?? rule);
      return take(key, first.get(key) ?? rule, request);
    })();
  },
  "truncates keys": withTake((take) => (key, rule, request) => take(key.slice(0, 511), rule, request)),
};

test.each(Object.entries(faultyStores))("the contract catches a store that %s", async (_name, make) => {
  expect(await expectContractToCatch(permitStoreContract, make)).not.toEqual([]);
});
