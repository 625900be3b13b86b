import type { Clock } from "@framework/core/feature";
import { inProcessState, virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { sharedSessionStore } from "../index.ts";
import { userLogins } from "./user-logins.ts";

const lifetimeMs = 86_400_000;

const step = fc.record({
  op: fc.constantFrom("begin", "begin", "begin", "destroy", "wait"),
  host: fc.nat({ max: 1 }),
  user: fc.constantFrom("ann", "bob"),
  waitMs: fc.nat({ max: 5000 }),
});

test("a destroyAll ends exactly the user's earlier logins, even if the clocks of hosts differ", async () => {
  const skews = fc.tuple(fc.constant(0), fc.integer({ min: -60_000, max: 60_000 }));
  await fc.assert(
    fc.asyncProperty(skews, fc.array(step, { maxLength: 40 }), async (skew, steps) => {
      const clock = virtualClock({ start: 1_800_000_000_000 });
      const store = sharedSessionStore(inProcessState({ clock }).values);
      const hosts = skew.map((ms) => {
        const skewed: Clock = { ...clock, date: () => clock.date() + ms };
        return userLogins(store, { lifetimeMs, clock: skewed });
      });
      const logins: { user: string; login: number; isAlive: boolean }[] = [];
      for (const { op, host, user, waitMs } of steps) {
        if (op === "wait") await clock.advance(waitMs);
        if (op === "begin") {
          const login = (await hosts[host]?.begin(user)) ?? 0;
          logins.push({ user, login, isAlive: true });
        }
        if (op !== "destroy") continue;
        await hosts[host]?.destroyAll(user);
        for (const each of logins) if (each.user === user) each.isAlive = false;
      }
      for (const { user, login, isAlive } of logins)
        for (const host of hosts) expect(await host.isAlive(user, login)).toBe(isAlive);
    }),
  );
});

test("concurrent logins get distinct numbers, and concurrent destroyAll calls end all of them", async () => {
  const clock = virtualClock({ start: 1_800_000_000_000 });
  const logins = userLogins(sharedSessionStore(inProcessState({ clock }).values), { lifetimeMs, clock });
  const numbers = await Promise.all(Array.from({ length: 50 }, () => logins.begin("ann")));
  expect(new Set(numbers).size).toBe(50);
  await Promise.all(Array.from({ length: 10 }, () => logins.destroyAll("ann")));
  const alive = await Promise.all(numbers.map((login) => logins.isAlive("ann", login)));
  expect(alive.filter(Boolean)).toEqual([]);
  expect(await logins.isAlive("ann", await logins.begin("ann"))).toBe(true);
});

test("a store that accepts no number refuses the login instead of retrying forever", async () => {
  const clock = virtualClock({ start: 1_800_000_000_000 });
  let attempts = 0;
  const logins = userLogins({ number: () => 0, raise: () => (attempts++, false) }, { lifetimeMs, clock });
  await expect(logins.begin("ann")).rejects.toMatchObject({ code: "SESSIONS_UNAVAILABLE", status: 503 });
  expect(attempts).toBe(1000);
});
