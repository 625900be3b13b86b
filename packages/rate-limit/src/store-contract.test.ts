// oxlint-disable jest/expect-expect -- the facts assert by themselves
import type { Awaitable } from "@framework/core";
import { inProcessState } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { cluster } from "./limited-app.test-kit.ts";
import type { PermitAnswer, PermitRule, RateLimitStore } from "./rate-limit-store.ts";
import { rateLimitStoreContract, type RateLimitStoreFixture } from "./testing.ts";

/** One process on a virtual clock. */
const alone = (): { readonly store: RateLimitStore; readonly advance: (ms: number) => void } => {
  let now = 0;
  return { store: inProcessState({ now: () => now }), advance: (ms) => void (now += ms) };
};

rateLimitStoreContract(test, () => {
  const { store, advance } = alone();
  return { views: [store, store], advance };
});

rateLimitStoreContract(
  (name, body) => test(`${name} (through the primary)`, body),
  () => {
    const { clock, join } = cluster();
    return { views: [join().shared, join().shared], advance: (ms) => clock.advance(ms) };
  },
);

type Take = (...call: Parameters<RateLimitStore["take"]>) => Awaitable<PermitAnswer>;

const withTake = (change: (take: Take) => Take) => (): RateLimitStoreFixture => {
  const { store, advance } = alone();
  const take = change((...call) => store.take(...call));
  return { views: [{ take }, { take }], advance };
};

/** A store that counts by itself what it was asked for, in windows that begin when the first request comes. */
const fixedWindows = (): RateLimitStoreFixture => {
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

const planted: Readonly<Record<string, () => RateLimitStoreFixture>> = {
  "each process counts alone": () => {
    const [a, b] = [alone(), alone()];
    return {
      views: [a.store, b.store],
      advance: (ms) => {
        a.advance(ms);
        b.advance(ms);
      },
    };
  },
  "checks first and spends later": withTake((take) => async (key, rule, ask) => {
    const { free } = await take(key, rule, { spend: 0 });
    const answer = await take(key, rule, ask);
    return { ...answer, spent: Math.min(free, ask.spend) };
  }),
  "windows begin anew at an edge": fixedWindows,
  "lives by the wall clock of the caller": () => {
    let passed = 0;
    const store = inProcessState({ now: () => Date.now() + passed });
    return { views: [store, store], advance: (ms) => void (passed += ms) };
  },
  "spends nothing when not all are free": withTake((take) => async (key, rule, ask) => {
    const { free } = await take(key, rule, { spend: 0 });
    return take(key, rule, { spend: free < ask.spend ? 0 : ask.spend });
  }),
  "rounds windows up to whole seconds": withTake((take) => (key, rule, ask) => {
    return take(key, { ...rule, windowMs: Math.ceil(rule.windowMs / 1000) * 1000 }, ask);
  }),
  "promises too short a wait": withTake((take) => async (...call) => {
    const answer = await take(...call);
    return { ...answer, waitMs: answer.waitMs / 2 };
  }),
  "keeps the first capacity": () => {
    const first = new Map<string, PermitRule>();
    return withTake((take) => (key, rule, ask) => {
      first.set(key, first.get(key) ?? rule);
      return take(key, first.get(key) ?? rule, ask);
    })();
  },
  "folds keys": withTake((take) => (key, rule, ask) => take(key.slice(0, 511), rule, ask)),
};

test.each(Object.entries(planted))("the contract finds a store that %s", async (_name, make) => {
  const bodies: (() => Promise<void>)[] = [];
  rateLimitStoreContract((_, body) => void bodies.push(body), make);
  const verdicts = [];
  for (const body of bodies)
    verdicts.push(
      await body().then(
        () => "passed",
        () => "failed",
      ),
    );
  expect(verdicts).toContain("failed");
});
