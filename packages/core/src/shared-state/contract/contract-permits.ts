import assert from "node:assert/strict";
import { type Fact, refuses } from "./contract-fact.ts";
import type { PermitLoan, PermitRule } from "../permits/permits.ts";

const bucket: PermitRule = { kind: "bucket", capacity: 10, windowMs: 5000 };
const log: PermitRule = { kind: "window", capacity: 10, windowMs: 500 };
const loan = (holder: string, given: Partial<PermitLoan> = {}): PermitLoan => ({
  holder,
  hold: 0,
  used: [],
  most: 100,
  share: 0.5,
  loanMs: 5000,
  ...given,
});

/** What permits promise. */
export const permitFacts: readonly Fact[] = [
  [
    "a bucket gives as many permits as are free, over all views, and says when the next comes",
    async ({ views: [a, b] }) => {
      assert.equal((await a.take("k", bucket, { spend: 7 })).spent, 7);
      const last = await b.take("k", bucket, { spend: 7 });
      assert.deepEqual([last.spent, last.free, last.lent, last.elsewhere], [3, 0, 0, 0]);
      assert.ok(last.waitMs > 0 && last.waitMs <= 500, `${last.waitMs}`);
      assert.ok(last.resetMs > 4000 && last.resetMs <= 5000, `${last.resetMs}`);
      assert.equal((await a.take("other", bucket, { spend: 1 })).spent, 1);
    },
  ],
  [
    "a bucket refills evenly and never beyond its capacity",
    async ({ views: [a], advance }) => {
      const fast: PermitRule = { kind: "bucket", capacity: 2, windowMs: 400 };
      await a.take("k", fast, { spend: 2 });
      await advance(250);
      assert.equal((await a.take("k", fast, { spend: 2 })).spent, 1);
      await advance(1000);
      assert.equal((await a.take("k", fast, { spend: 3 })).spent, 2);
    },
  ],
  [
    "a window gives each permit back one window after its use",
    async ({ views: [a, b], advance }) => {
      await a.take("k", log, { spend: 4 });
      await advance(300);
      const full = await b.take("k", log, { spend: 9 });
      assert.deepEqual([full.spent, full.free], [6, 0]);
      assert.ok(full.waitMs > 0 && full.waitMs <= 200, `${full.waitMs}`);
      await advance(300);
      assert.equal((await a.take("k", log, { spend: 9 })).spent, 4);
    },
  ],
  [
    "a window of more than a thousand gives a permit back at the end of its step",
    async ({ views: [a], advance }) => {
      const large: PermitRule = { kind: "window", capacity: 5000, windowMs: 640 };
      await a.take("k", large, { spend: 5000 });
      const { waitMs } = await a.take("k", large, { spend: 1 });
      assert.ok(waitMs > 300 && waitMs <= 650, `${waitMs}`);
      await advance(waitMs);
      assert.equal((await a.take("k", large, { spend: 1 })).spent, 1);
    },
  ],
  [
    "looking takes nothing",
    async ({ views: [a] }) => {
      const { spent, free, waitMs } = await a.take("k", bucket, { spend: 0 });
      assert.deepEqual([spent, free, waitMs], [0, 10, 0]);
    },
  ],
  [
    "concurrent calls are given exactly the capacity in sum",
    async ({ views: [a, b] }) => {
      const slow: PermitRule = { kind: "bucket", capacity: 100, windowMs: 3_600_000 };
      const given = await Promise.all(
        Array.from({ length: 200 }, async (_, index) =>
          (index % 2 === 0 ? a : b).take("k", slow, { spend: 1 }),
        ),
      );
      assert.equal(
        given.reduce((sum, { spent }) => sum + spent, 0),
        100,
      );
    },
  ],
  [
    "a loan is a share of what is free, and others see that it is elsewhere",
    async ({ views: [a, b] }) => {
      const first = await a.take("k", bucket, { spend: 1, loan: loan("a") });
      assert.deepEqual([first.spent, first.lent, first.free, first.elsewhere], [1, 4, 5, 0]);
      const second = await b.take("k", bucket, { spend: 9, loan: loan("b") });
      assert.deepEqual([second.spent, second.lent, second.free, second.elsewhere], [5, 0, 0, 4]);
    },
  ],
  [
    "a small share still lends nothing that is not there, and spends what is",
    async ({ views: [a] }) => {
      const { spent, lent } = await a.take("k", bucket, { spend: 1, loan: loan("a", { share: 0.01 }) });
      assert.deepEqual([spent, lent], [1, 0]);
      assert.equal((await a.take("k", bucket, { spend: 1, loan: loan("a", { most: 2 }) })).lent, 2);
    },
  ],
  [
    "what a holder gives back is free at once, what it used is not",
    async ({ views: [a, b] }) => {
      for (const [rule, key] of [
        [bucket, "bucket"],
        [{ ...log, windowMs: 60_000 }, "window"],
      ] as const) {
        await a.take(key, rule, { spend: 0, loan: loan("a") });
        const kept = await a.take(key, rule, {
          spend: 0,
          loan: loan("a", { used: [0, 0], hold: 1, most: 0 }),
        });
        assert.deepEqual([kept.free, kept.lent], [7, 0]);
        assert.equal((await b.take(key, rule, { spend: 0 })).elsewhere, 1);
        await a.take(key, rule, { spend: 0, loan: loan("a", { most: 0 }) });
        const { free, elsewhere } = await b.take(key, rule, { spend: 0 });
        assert.deepEqual([free, elsewhere], [8, 0]);
      }
    },
  ],
  [
    "a loan that ends untold counts as used at that moment, and is told too late",
    async ({ views: [a, b], advance }) => {
      await a.take("k", log, { spend: 5, loan: loan("dead", { share: 0.9, loanMs: 300 }) });
      await advance(400);
      const { free, elsewhere } = await b.take("k", log, { spend: 0 });
      assert.deepEqual([free, elsewhere], [1, 0]);
      await a.take("k", log, { spend: 0, loan: loan("dead", { hold: 4, used: [0], most: 0 }) });
      await advance(200);
      assert.equal((await b.take("k", log, { spend: 0 })).free, 6);
      await advance(400);
      assert.equal((await b.take("k", log, { spend: 0 })).free, 10);
    },
  ],
  [
    "permits on loan keep their place in the bucket: it does not refill beyond the rest",
    async ({ views: [a, b], advance }) => {
      const fast: PermitRule = { kind: "bucket", capacity: 10, windowMs: 200 };
      await a.take("k", fast, { spend: 0, loan: loan("a") });
      await advance(600);
      assert.equal((await b.take("k", fast, { spend: 20 })).spent, 5);
    },
  ],
  [
    "permits have keys of their own",
    async ({ views: [a] }) => {
      await a.set("k", "text", { ttlMs: 1000 });
      assert.equal((await a.take("k", bucket, { spend: 1 })).spent, 1);
      assert.equal(await a.get("k"), "text");
      assert.equal((await a.take("__proto__", bucket, { spend: 1 })).free, 9);
    },
  ],
  [
    "calls that make no sense are refused",
    async ({ views: [a] }) => {
      const bad = "CORE_SHARED_STATE_BAD_OPTION";
      await refuses("CORE_SHARED_STATE_BAD_KEY", () => a.take("", bucket, { spend: 1 }));
      for (const rule of [
        { capacity: 0.5 },
        { capacity: NaN },
        { windowMs: 0 },
        { kind: "leak" as "bucket" },
      ]) {
        await refuses(bad, () => a.take("k", { ...bucket, ...rule }, { spend: 1 }));
      }
      for (const spend of [-1, 0.5, NaN]) await refuses(bad, () => a.take("k", bucket, { spend }));
      for (const given of [
        { holder: "" },
        { hold: -1 },
        { used: [-1] },
        { used: Array.from({ length: 1025 }, () => 0) },
        { most: 1025 },
        { share: 0 },
        { share: 1.5 },
        { loanMs: 0 },
      ]) {
        await refuses(bad, () => a.take("k", bucket, { spend: 0, loan: loan("a", given) }));
      }
    },
  ],
];
