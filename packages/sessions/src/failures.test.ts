import { inProcessState } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { type SessionStore, sharedSessionStore } from "./index.ts";
import { cookieOf, openShop, secret, withCookie } from "./shop.test-kit.ts";

type Call = keyof SessionStore;

/** Returns a store, and the set of its calls that fail. */
const failingStore = (): { readonly store: SessionStore; readonly fails: Set<Call> } => {
  const fails = new Set<Call>();
  const inner = sharedSessionStore(inProcessState().values);
  const guarded = <T>(name: Call, call: () => T): T => {
    if (fails.has(name)) throw new Error(`${name} failed`);
    return call();
  };
  const store: SessionStore = {
    read: (key) => guarded("read", () => inner.read(key)),
    write: (key, content, options) => guarded("write", () => inner.write(key, content, options)),
    end: (key, ttlMs) => guarded("end", () => inner.end(key, ttlMs)),
    number: (key) => guarded("number", () => inner.number(key)),
    raise: (key, value, ttlMs) => guarded("raise", () => inner.raise(key, value, ttlMs)),
  };
  return { store, fails };
};

for (const form of [{}, { signed: true, secret }]) {
  const kind = "signed" in form ? "signed" : "stored";
  for (const call of ["write", "end", "number", "raise"] as const) {
    if (kind === "signed" && call === "write") continue; // the cookie is written without the store
    test(`a login by a ${kind} session gets 503 without a cookie if ${call} fails, and the old session continues`, async () => {
      const { store, fails } = failingStore();
      const { browser } = openShop({ ...form, store });
      await using client = browser({ cookies: false });
      const visitor = cookieOf(await client.post("/cart/tea"));
      fails.add(call);
      const login = await client.post("/login/ann", withCookie(visitor));
      expect([login.status, login.headers.get("set-cookie"), login.headers.get("retry-after")]).toEqual([
        503,
        null,
        "1",
      ]);
      fails.clear();
      expect((await client.get("/me", withCookie(visitor))).json()).toEqual({ user: null, cart: "tea" });
    });
  }

  test(`a logout of a ${kind} session that cannot be written gets 503 and keeps the cookie`, async () => {
    const { store, fails } = failingStore();
    const { browser } = openShop({ ...form, store });
    await using client = browser({ cookies: false });
    const user = cookieOf(await client.post("/login/ann"));
    fails.add("end");
    const out = await client.post("/logout", withCookie(user));
    expect([out.status, out.headers.get("set-cookie")]).toEqual([503, null]);
  });

  test(`a request whose ${kind} session cannot be checked gets 503, not a visitor's reply; requests without one are served`, async () => {
    const { store, fails } = failingStore();
    const { browser } = openShop({ ...form, store });
    await using client = browser({ cookies: false });
    const user = cookieOf(await client.post("/login/ann"));
    for (const call of ["read", "number"] as const) {
      fails.add(call);
      expect([(await client.get("/me", withCookie(user))).status, (await client.get("/")).status]).toEqual([
        503, 200,
      ]);
      fails.clear();
    }
  });
}

test("a use that cannot be recorded does not fail the request", async () => {
  const { store, fails } = failingStore();
  const { browser, clock } = openShop({ store });
  await using client = browser({ cookies: false });
  const user = cookieOf(await client.post("/login/ann"));
  await clock.advance(600_000);
  fails.add("write");
  expect((await client.get("/me", withCookie(user))).json()).toEqual({ user: "ann", cart: null });
});

test("a request gets 503 if the store exceeds the timeout", async () => {
  const { store } = failingStore();
  const waiting = Promise.withResolvers<void>();
  const hangingStore: SessionStore = {
    ...store,
    read: () => (waiting.resolve(), new Promise<never>(() => {})),
  };
  const { browser, clock } = openShop({ store: hangingStore, storeTimeoutMs: 1000 });
  await using client = browser({ cookies: false });
  const pending = client.get("/me", withCookie("A".repeat(43)));
  await waiting.promise;
  await clock.advance(1001);
  expect((await pending).status).toBe(503);
});

test("a full memory refuses new sessions with 503 and keeps the others", async () => {
  const { browser } = openShop({ maxSessions: 2 });
  await using client = browser({ cookies: false });
  const first = cookieOf(await client.post("/cart/tea"));
  await client.post("/cart/milk");
  expect((await client.post("/cart/bread")).status).toBe(503);
  expect((await client.get("/me", withCookie(first))).json()).toEqual({ user: null, cart: "tea" });
  expect((await client.post("/cart/water", withCookie(first))).status).toBe(200);
});

test("production warns of sessions in the memory of one host, once", async () => {
  const lines: unknown[] = [];
  const log = {
    info() {},
    error() {},
    warn: (_message: string, fields?: unknown) => void lines.push(fields),
  };
  const { app } = openShop();
  await app.start({ env: "production", log });
  expect(lines).toEqual([{ code: "SESSIONS_IN_MEMORY" }]);
  await app.stop();
});
