import assert from "node:assert/strict";
import {
  type PortContract,
  type PortFacts,
  type PortFixture,
  portContract,
} from "../../contract/port-contract.ts";
import type { PermitLease, PermitRule, Permits } from "../permits/permits.ts";
import { failsWith } from "./fact-tools.ts";
import { spendingFacts } from "./permit-store-contract.ts";

const bucket: PermitRule = { kind: "bucket", capacity: 10, windowMs: 5000 };
const slidingWindow: PermitRule = { kind: "window", capacity: 10, windowMs: 500 };
const lease = (holder: string, given: Partial<PermitLease> = {}): PermitLease => ({
  holder,
  hold: 0,
  used: [],
  max: 100,
  share: 0.5,
  leaseMs: 5000,
  ...given,
});

const leaseFacts: PortFacts<PortFixture<Permits>> = {
  "a lease reserves a share of the free permits, which other holders get as elsewhere": async ({
    views: [a, b],
  }) => {
    const first = await a.take("k", bucket, { spend: 1, lease: lease("a") });
    assert.deepEqual([first.spent, first.leased, first.free, first.elsewhere], [1, 4, 5, 0]);
    const second = await b.take("k", bucket, { spend: 9, lease: lease("b") });
    assert.deepEqual([second.spent, second.leased, second.free, second.elsewhere], [5, 0, 0, 4]);
  },
  "a share too small for a lease still spends a free permit": async ({ views: [a] }) => {
    const { spent, leased } = await a.take("k", bucket, { spend: 1, lease: lease("a", { share: 0.01 }) });
    assert.deepEqual([spent, leased], [1, 0]);
    assert.equal((await a.take("k", bucket, { spend: 1, lease: lease("a", { max: 2 }) })).leased, 2);
  },
  "returned permits are free at once, used permits are not": async ({ views: [a, b] }) => {
    for (const [rule, key] of [
      [bucket, "bucket"],
      [{ ...slidingWindow, windowMs: 60_000 }, "window"],
    ] as const) {
      await a.take(key, rule, { spend: 0, lease: lease("a") });
      const renewed = await a.take(key, rule, {
        spend: 0,
        lease: lease("a", { used: [0, 0], hold: 1, max: 0 }),
      });
      assert.deepEqual([renewed.free, renewed.leased], [7, 0]);
      assert.equal((await b.take(key, rule, { spend: 0 })).elsewhere, 1);
      await a.take(key, rule, { spend: 0, lease: lease("a", { max: 0 }) });
      const { free, elsewhere } = await b.take(key, rule, { spend: 0 });
      assert.deepEqual([free, elsewhere], [8, 0]);
    }
  },
  "a lease that expires unreported counts as used at its expiry; a later report is ignored": async ({
    views: [a, b],
    advance,
  }) => {
    await a.take("k", slidingWindow, { spend: 5, lease: lease("dead", { share: 0.9, leaseMs: 300 }) });
    await advance(400);
    const { free, elsewhere } = await b.take("k", slidingWindow, { spend: 0 });
    assert.deepEqual([free, elsewhere], [1, 0]);
    await a.take("k", slidingWindow, { spend: 0, lease: lease("dead", { hold: 4, used: [0], max: 0 }) });
    await advance(200);
    assert.equal((await b.take("k", slidingWindow, { spend: 0 })).free, 6);
    await advance(400);
    assert.equal((await b.take("k", slidingWindow, { spend: 0 })).free, 10);
  },
  "leased permits count towards the capacity of the bucket, which refills only the rest": async ({
    views: [a, b],
    advance,
  }) => {
    const fast: PermitRule = { kind: "bucket", capacity: 10, windowMs: 200 };
    await a.take("k", fast, { spend: 0, lease: lease("a") });
    await advance(600);
    assert.equal((await b.take("k", fast, { spend: 20 })).spent, 5);
  },
  "malformed calls fail": async ({ views: [a] }) => {
    const bad = "CORE_SHARED_STATE_BAD_OPTION";
    await failsWith("CORE_SHARED_STATE_BAD_KEY", () => a.take("", bucket, { spend: 1 }));
    for (const rule of [
      { capacity: 0.5 },
      { capacity: NaN },
      { windowMs: 0 },
      { kind: "leak" as "bucket" },
    ]) {
      await failsWith(bad, () => a.take("k", { ...bucket, ...rule }, { spend: 1 }));
    }
    for (const spend of [-1, 0.5, NaN]) await failsWith(bad, () => a.take("k", bucket, { spend }));
    for (const given of [
      { holder: "" },
      { hold: -1 },
      { used: [-1] },
      { used: Array.from({ length: 1025 }, () => 0) },
      { max: 1025 },
      { share: 0 },
      { share: 1.5 },
      { leaseMs: 0 },
    ]) {
      await failsWith(bad, () => a.take("k", bucket, { spend: 0, lease: lease("a", given) }));
    }
  },
};

/** The contract of `Permits`, leases included. */
export const permitsContract: PortContract<PortFixture<Permits>> = portContract("permits", {
  ...spendingFacts,
  ...leaseFacts,
});
