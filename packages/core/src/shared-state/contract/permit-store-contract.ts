import assert from "node:assert/strict";
import {
  type PortContract,
  type PortFacts,
  type PortFixture,
  portContract,
} from "../../contract/port-contract.ts";
import type { PermitRule, PermitStore } from "../permits/permits.ts";

const bucket: PermitRule = { kind: "bucket", capacity: 10, windowMs: 5000 };
const window: PermitRule = { kind: "window", capacity: 10, windowMs: 500 };
const HOUR = 3_600_000;

/** Guarantees of permits without leases. */
export const spendingFacts: PortFacts<PortFixture<PermitStore>> = {
  "a bucket grants the free permits across views and returns the wait for the next": async ({
    views: [a, b],
  }) => {
    const first = await a.take("k", bucket, { spend: 7 });
    assert.deepEqual([first.spent, first.free, first.waitMs], [7, 3, 0]);
    const last = await b.take("k", bucket, { spend: 7 });
    assert.deepEqual([last.spent, last.free], [3, 0]);
    assert.ok(last.waitMs > 0 && last.waitMs <= 500, `waitMs ${last.waitMs}`);
    assert.ok(last.resetMs > 4000 && last.resetMs <= 5000, `resetMs ${last.resetMs}`);
  },

  "a bucket refills evenly and never beyond its capacity": async ({ views: [a], advance }) => {
    const fast: PermitRule = { kind: "bucket", capacity: 2, windowMs: 400 };
    await a.take("k", fast, { spend: 2 });
    await advance(250);
    assert.equal((await a.take("k", fast, { spend: 2 })).spent, 1);
    await advance(1000);
    assert.equal((await a.take("k", fast, { spend: 3 })).spent, 2);
  },

  "fractions of a permit are kept between calls": async ({ views: [a], advance }) => {
    const slow: PermitRule = { kind: "bucket", capacity: 1, windowMs: 300 };
    await a.take("k", slow, { spend: 1 });
    let waited = 0;
    for (; (await a.take("k", slow, { spend: 1 })).spent === 0; waited++) {
      assert.ok(waited < 10, "denied requests delay the next permit");
      await advance(100);
    }
  },

  "a window returns each permit one window after its use": async ({ views: [a, b], advance }) => {
    await a.take("k", window, { spend: 4 });
    await advance(300);
    const full = await b.take("k", window, { spend: 9 });
    assert.deepEqual([full.spent, full.free], [6, 0]);
    assert.ok(full.waitMs > 0 && full.waitMs <= 200, `waitMs ${full.waitMs}`);
    await advance(250);
    assert.equal((await a.take("k", window, { spend: 9 })).spent, 4);
  },

  "denied permits are not counted": async ({ views: [a], advance }) => {
    const long: PermitRule = { ...window, windowMs: 1000 };
    await a.take("k", long, { spend: 10 });
    await advance(600);
    assert.equal((await a.take("k", long, { spend: 10 })).spent, 0);
    await advance(450);
    assert.equal((await a.take("k", long, { spend: 10 })).spent, 10);
  },

  "a window above 1,000 permits returns a permit at most one 64th of the window late, never early": async ({
    views: [a],
    advance,
  }) => {
    const large: PermitRule = { kind: "window", capacity: 5000, windowMs: 640 };
    await a.take("k", large, { spend: 5000 });
    const { spent, waitMs } = await a.take("k", large, { spend: 1 });
    assert.equal(spent, 0);
    assert.ok(waitMs > 300 && waitMs <= 650, `waitMs ${waitMs}`);
    await advance(waitMs);
    assert.equal((await a.take("k", large, { spend: 5001 })).spent, 5000);
  },

  "spend: 0 spends nothing and creates nothing": async ({ views: [a, b] }) => {
    for (const rule of [bucket, window]) {
      const { spent, free, waitMs, resetMs } = await a.take(rule.kind, rule, { spend: 0 });
      assert.deepEqual([spent, free, waitMs, resetMs], [0, 10, 0, 0]);
      assert.equal((await b.take(rule.kind, rule, { spend: 10 })).spent, 10);
    }
  },

  "after waitMs one permit is free, after resetMs all permits are free": async ({ views: [a], advance }) => {
    for (const rule of [{ ...bucket, windowMs: 1000 }, window]) {
      await a.take(rule.kind, rule, { spend: 10 });
      await advance((await a.take(rule.kind, rule, { spend: 1 })).waitMs);
      assert.ok((await a.take(rule.kind, rule, { spend: 1 })).spent === 1, rule.kind);
      await advance((await a.take(rule.kind, rule, { spend: 0 })).resetMs);
      assert.equal((await a.take(rule.kind, rule, { spend: 10 })).spent, 10);
    }
  },

  "concurrent calls of two views are granted exactly the capacity in total": async ({ views }) => {
    for (const kind of ["bucket", "window"] as const) {
      for (const capacity of [100, 2000]) {
        const rule: PermitRule = { kind, capacity, windowMs: 100 * HOUR }; // long, because a bucket of 2,000 in one hour would return a permit every 1.8 s
        const given = await Promise.all(
          Array.from({ length: capacity * 1.5 }, async (_, index) =>
            (index % 2 === 0 ? views[0] : views[1]).take(`${kind} ${capacity}`, rule, { spend: 1 }),
          ),
        );
        assert.equal(
          given.reduce((sum, { spent }) => sum + spent, 0),
          capacity,
        );
      }
    }
  },

  "the wall clock of the calling process does not matter": async ({ views: [a] }) => {
    const real = Date.now;
    for (const rule of [
      { ...bucket, windowMs: HOUR },
      { ...window, windowMs: HOUR },
    ]) {
      await a.take(rule.kind, rule, { spend: 10 });
      Date.now = () => real() + 2 * HOUR;
      try {
        assert.equal((await a.take(rule.kind, rule, { spend: 1 })).spent, 0);
      } finally {
        Date.now = real;
      }
      assert.equal((await a.take(rule.kind, rule, { spend: 1 })).spent, 0);
    }
  },

  "a lowered capacity applies at once, a raised one refills at its rate": async ({ views: [a] }) => {
    const of = (kind: PermitRule["kind"], capacity: number): PermitRule => ({
      kind,
      capacity,
      windowMs: HOUR,
    });
    for (const kind of ["bucket", "window"] as const) {
      assert.equal((await a.take(kind, of(kind, 100), { spend: 1 })).free, 99);
      assert.equal((await a.take(kind, of(kind, 50), { spend: 1 })).free, kind === "bucket" ? 49 : 48);
      const raised = await a.take(kind, of(kind, 100), { spend: 0 });
      assert.equal(raised.free, kind === "bucket" ? 49 : 98);
    }
  },

  "keys are arbitrary strings and independent of each other": async ({ views: [a, b] }) => {
    const keys = ["__proto__", "a b", "a:b", "{a}", "*", "größe\u0000", "k".repeat(512), "k".repeat(511)];
    for (const key of keys) assert.equal((await a.take(key, bucket, { spend: 4 })).free, 6, key);
    for (const key of keys) assert.equal((await b.take(key, bucket, { spend: 7 })).spent, 6, key);
  },
};

/** The contract of `PermitStore`: permits without leases. */
export const permitStoreContract: PortContract<PortFixture<PermitStore>> = portContract(
  "permit store",
  spendingFacts,
);
