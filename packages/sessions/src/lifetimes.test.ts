import { inProcessState, virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { type SessionStore, sharedSessionStore } from "./index.ts";
import { cookieOf, openShop, secret, withCookie } from "./shop.test-kit.ts";

const minutes = (count: number): number => count * 60_000;

for (const [form, config] of [
  ["stored", {}],
  ["signed", { signed: true, secret }],
] as const) {
  test(`a ${form} session ends when it is not used for idleSecs`, async () => {
    const { browser, clock } = openShop(config);
    await using client = browser();
    await client.post("/login/ann");
    for (let at = 0; at < 5; at++) {
      await clock.advance(minutes(26));
      expect((await client.get("/me")).json()).toEqual({ user: "ann", cart: null });
    }
    await clock.advance(minutes(30));
    expect((await client.get("/me")).json()).toEqual({ user: null, cart: null });
  });

  test(`a ${form} session ends absoluteSecs after the login, even if it is in use`, async () => {
    const { browser, clock } = openShop({ ...config, absoluteSecs: 7200 });
    await using client = browser();
    await client.post("/login/ann");
    for (let at = 0; at < 11; at++) {
      await clock.advance(minutes(10));
      expect((await client.get("/me")).json()).toEqual({ user: "ann", cart: null });
    }
    await clock.advance(minutes(10));
    expect((await client.get("/me")).json()).toEqual({ user: null, cart: null });
  });

  test(`a new id of a ${form} session does not extend its absolute lifetime; a login does`, async () => {
    const { browser, clock } = openShop({ ...config, absoluteSecs: 3600, idleSecs: 3600 });
    await using client = browser();
    await client.post("/login/ann");
    await clock.advance(minutes(50));
    const promoted = await client.post("/promote");
    expect(promoted.cookies.get("session_id")?.maxAge).toBe(600);
    await clock.advance(minutes(11));
    expect((await client.get("/me")).json()).toEqual({ user: null, cart: null });
    await client.post("/login/ann");
    await clock.advance(minutes(50));
    await client.post("/login/ann");
    await clock.advance(minutes(50));
    expect((await client.get("/me")).json()).toEqual({ user: "ann", cart: null });
  });
}

test("absoluteSecs alone may be shorter than the default of idleSecs", async () => {
  const { browser, clock } = openShop({ absoluteSecs: 600 });
  await using client = browser();
  await client.post("/login/ann");
  await clock.advance(minutes(9));
  expect((await client.get("/me")).json()).toEqual({ user: "ann", cart: null });
  await clock.advance(minutes(1));
  expect((await client.get("/me")).json()).toEqual({ user: null, cart: null });
});

test("a use is recorded once per tenth of the idle timeout, without a new cookie", async () => {
  const clock = virtualClock({ start: 1_800_000_000_000 });
  const inner = sharedSessionStore(inProcessState({ clock }).values);
  let writes = 0;
  const store: SessionStore = { ...inner, write: (...args) => (writes++, inner.write(...args)) };
  const { app, browser } = openShop({ store }, clock);
  await app.start({ logs: false });
  await using client = browser();
  const id = cookieOf(await client.post("/login/ann"));
  writes = 0;
  const writesAt: number[] = [];
  for (let at = 2; at <= 8; at += 2) {
    await clock.advance(minutes(2));
    expect((await client.get("/me")).headers.get("set-cookie")).toBeNull();
    writesAt.push(writes);
  }
  expect(writesAt).toEqual([0, 1, 1, 2]);
  await clock.advance(minutes(29));
  await using other = browser({ cookies: false });
  expect((await other.get("/me", withCookie(id))).json()).toEqual({ user: "ann", cart: null });
});
