import { inProcessState, virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { sharedSessionStore } from "./index.ts";
import { cookieOf, openShop, secret, withCookie } from "./shop.test-kit.ts";

const start = 1_800_000_000_000;

test("ended sessions do not count towards the limit of live ones", async () => {
  const { browser } = openShop({ maxSessions: 10 });
  await using client = browser({ cookies: false });
  const statuses: number[] = [];
  for (let at = 0; at < 10; at++) {
    const login = await client.post("/login/ann");
    statuses.push(login.status, (await client.post("/logout", withCookie(cookieOf(login)))).status);
  }
  for (let at = 0; at < 10; at++) statuses.push((await client.post("/login/ann")).status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect((await client.post("/login/ann")).status).toBe(503);
});

test("with ended sessions beyond their limit, sessions can end and none can start", async () => {
  const { values } = inProcessState({ clock: virtualClock({ start }) });
  const store = sharedSessionStore(values, { maxSessions: 2 });
  const ttlMs = 60_000;
  const begin = (key: string): Promise<boolean> =>
    Promise.resolve(store.write(key, key, { version: 0, ttlMs }));
  for (const key of ["a", "b", "c", "d"]) {
    expect(await begin(key)).toBe(true);
    expect(await store.end(key, ttlMs)).toBe(true);
  }
  await expect(begin("e")).rejects.toThrow(/sessions:live/);
  for (const key of ["a", "b", "c", "d"]) expect(await store.read(key)).toBe("ended");
});

test("signed sessions can end even if the memory is full, up to twice maxSessions", async () => {
  const clock = virtualClock({ start });
  const { browser } = openShop({ signed: true, secret, maxSessions: 2, clock });
  await using client = browser({ cookies: false });
  const cookies: string[] = [];
  for (let at = 0; at < 5; at++) cookies.push(cookieOf(await client.post("/login/ann")));
  const statuses: number[] = [];
  for (const cookie of cookies) statuses.push((await client.post("/logout", withCookie(cookie))).status);
  expect(statuses).toEqual([200, 200, 200, 200, 503]);
  const users = await Promise.all(cookies.map((cookie) => client.get("/me", withCookie(cookie))));
  expect(users.map((reply) => reply.json<{ user: unknown }>().user)).toEqual([null, null, null, null, "ann"]);
});

test("the end of a signed session is remembered longer than any of its cookies is valid", async () => {
  const clock = virtualClock({ start });
  const { values } = inProcessState({ clock });
  const store = sharedSessionStore(values);
  const { browser } = openShop({ store, signed: true, secret, clock, idleSecs: 600, absoluteSecs: 86_400 });
  await using client = browser({ cookies: false });
  const userOf = async (cookie: string): Promise<unknown> =>
    (await client.get("/me", withCookie(cookie))).json<{ user: unknown }>().user;
  const first = cookieOf(await client.post("/login/ann"));
  await clock.advance(500_000);
  const later = cookieOf(await client.post("/cart/tea", withCookie(first)));
  await client.post("/logout", withCookie(later));
  const users: unknown[] = [];
  for (let at = 0; at < 20; at++) {
    users.push(await userOf(first), await userOf(later));
    await clock.advance(100_000);
  }
  expect(new Set(users)).toEqual(new Set([null]));
});
