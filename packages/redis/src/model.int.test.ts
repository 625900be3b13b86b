import { randomUUID } from "node:crypto";
import type { PermitResult, PermitRequest, PermitRule } from "@framework/core/feature";
import { inProcessState } from "@framework/core/testing";
import { withServer } from "@framework/services";
import { afterAll, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { openRedis, redisPermits, redisValues } from "./index.ts";

/** Long enough that no permit becomes free during the test. */
const windowMs = 1e10;

const lease = fc.record({
  holder: fc.constantFrom("a", "b", "c"),
  hold: fc.nat(4),
  used: fc.array(fc.constantFrom(0, 1, 50), { maxLength: 3 }),
  max: fc.nat(6),
  share: fc.constantFrom(0.05, 0.25, 0.5, 1),
  leaseMs: fc.constant(1e9),
});
const call = fc.record({
  capacity: fc.constantFrom(1, 5, 20, 40, 1500),
  spend: fc.nat(6),
  lease: fc.option(lease, { nil: undefined }),
});

const countsOf = ({ spent, leased, free, elsewhere, waitMs }: PermitResult) => ({
  spent,
  leased,
  free,
  elsewhere,
  waits: waitMs > 0,
});

withServer("redis", (url) => {
  const open = openRedis({ url, commandTimeoutMs: 30_000 });
  afterAll(() => open.close());

  for (const kind of ["bucket", "window"] as const) {
    test(`permits of a ${kind} match the in-process state`, async () => {
      const permits = redisPermits(open, { name: `model-${randomUUID()}` });
      await fc.assert(
        fc.asyncProperty(fc.array(call, { maxLength: 12 }), fc.boolean(), async (calls, lowers) => {
          const key = randomUUID();
          const model = inProcessState().permits;
          const fixed = calls[0]?.capacity ?? 1;
          for (const { capacity, spend, lease } of calls) {
            const rule: PermitRule = { kind, capacity: lowers ? capacity : fixed, windowMs };
            const request: PermitRequest = lease === undefined ? { spend } : { spend, lease };
            expect(countsOf(await permits.take(key, rule, request))).toEqual(
              countsOf(await model.take(key, rule, request)),
            );
          }
        }),
        { numRuns: 200 },
      );
    });
  }

  test("counters match the in-process state", async () => {
    const values = redisValues(open, { name: `model-${randomUUID()}`, connectionTimeoutMs: 60_000 });
    const addition = fc.record({
      amount: fc.oneof(fc.integer({ min: -20, max: 20 }), fc.double({ min: -3, max: 3, noNaN: true })),
      max: fc.option(fc.oneof(fc.nat(30), fc.constant(Infinity), fc.constant(0.3)), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(addition, { maxLength: 15 }), async (additions) => {
        const key = randomUUID();
        const model = inProcessState().values;
        for (const { amount, max } of additions) {
          const options = { ttlMs: 60_000, ...(max !== undefined && { max }) };
          const { value, granted } = await values.add(key, amount, options);
          const expected = await model.add(key, amount, options);
          expect([value, granted]).toEqual([expected.value + 0, expected.granted + 0]);
        }
      }),
      { numRuns: 200 },
    );
  });
});
