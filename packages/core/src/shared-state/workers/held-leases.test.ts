import { expect, test } from "@jest/globals";
import { virtualClock } from "../../runtime/virtual-clock.ts";
import { inProcessPermits } from "../permits/in-process-permits.ts";
import type { PermitRule, Permits } from "../permits/permits.ts";
import { HeldLeases } from "./held-leases.ts";

const rule: PermitRule = { kind: "bucket", capacity: 10, windowMs: 1000 };

test("expired leases, which the worker did not return, are forgotten while it takes others", async () => {
  const clock = virtualClock();
  const store = inProcessPermits({ clock });
  const reported: string[] = [];
  const permits: Permits = {
    take: (key, of, request) => {
      if (request.lease?.max === 0) reported.push(key);
      return store.take(key, of, request);
    },
  };
  const leases = new HeldLeases(permits, clock);
  const take = (key: string, leaseMs: number) =>
    leases.tracked.take(key, rule, {
      spend: 1,
      lease: { holder: key, hold: 0, used: [], max: 5, share: 1, leaseMs, endsAtExit: true },
    });
  await take("long", 3_600_000);
  for (let index = 0; index < 100; index++) await take(`short ${index}`, 1000);
  await clock.advance(2000);
  for (let index = 0; index < 100; index++) await take(`new ${index}`, 60_000);
  leases.end();
  expect(reported.filter((key) => key.startsWith("short"))).toEqual([]);
  expect(reported.filter((key) => !key.startsWith("short"))).toHaveLength(101);
});
