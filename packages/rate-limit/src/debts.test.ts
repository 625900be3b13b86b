import type { PermitStore } from "@framework/core/feature";
import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { Debts } from "./debts.ts";
import { Limit } from "./limit.ts";
import { directQuotas } from "./quota.ts";
import { RateLimitConfig } from "./rate-limit-config.ts";

test("a request admitted without the store during a store call stays charged for one window, even if that call fails", async () => {
  const clock = virtualClock();
  const spends: number[] = [];
  const debts = new Debts({ clock });
  const store: PermitStore = {
    take: (_key, _rule, { spend }) => {
      spends.push(spend);
      return new Promise(() => {});
    },
  };
  const quotas = directQuotas({ store, timeoutMs: 50, debts, onError() {}, clock });
  const limit = new Limit("default", RateLimitConfig.of());
  const { windowMs } = limit.rule;
  debts.add("k", windowMs);
  await clock.advance(windowMs / 2);
  const earlier = quotas.take(limit, "k");
  debts.add("k", windowMs); // a request during the call
  await clock.advance(51);
  expect(await earlier).toBeNull();
  await clock.advance(windowMs - 1000);
  void quotas.take(limit, "k");
  expect(spends).toEqual([2, 3]);
});
