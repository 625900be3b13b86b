import { inProcessState, virtualClock } from "@framework/core/testing";
import type { TestClient, TestReply } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { type Session, sessionOf, type SessionStore, sharedSessionStore } from "./index.ts";
import { cookieOf, openShop, secret, withCookie, type Shop } from "./shop.test-kit.ts";

type Change = (session: Session, app: Shop["app"]) => unknown;

interface SessionDriver {
  readonly client: TestClient;
  /** Sends a request that changes its session after `meanwhile`, which sends other requests. */
  changeAfter(cookie: string, change: Change, meanwhile: () => Promise<unknown>): Promise<TestReply>;
  /** Returns the names and the user that a request with this cookie sees. */
  contentOf(cookie: string): Promise<unknown>;
}

const driveShop = ({ app, browser }: Shop): SessionDriver => {
  const client = browser({ cookies: false });
  const pendingChanges: (readonly [Change, () => Promise<unknown>])[] = [];
  app.post("/change", async (request) => {
    const session = sessionOf(request);
    const [change, meanwhile] = pendingChanges.pop() ?? [];
    await meanwhile?.();
    await change?.(session, app);
    return "changed";
  });
  app.post("/set/{name}/{length}", (request) => {
    sessionOf(request).set(request.params.name, "x".repeat(Number(request.params.length)));
    return "set";
  });
  app.get("/content", (request) => {
    const session = sessionOf(request);
    return [session.user, ...["a", "b", "c"].filter((name) => session.get(name) !== undefined)];
  });
  return {
    client,
    changeAfter(cookie, ...step) {
      pendingChanges.push(step);
      return client.post("/change", withCookie(cookie));
    },
    contentOf: async (cookie) => (await client.get("/content", withCookie(cookie))).json(),
  };
};

test("a new id gets 409 after 100 attempts to copy the changes of other requests", async () => {
  const inner = sharedSessionStore(inProcessState().values);
  let attempts = 0;
  const store: SessionStore = {
    ...inner,
    end: (key, ttlMs, version) => {
      if (version === undefined) return inner.end(key, ttlMs);
      attempts++;
      return false; // as if another request had changed the session again
    },
  };
  const { browser } = openShop({ store });
  await using client = browser({ cookies: false });
  const visitor = cookieOf(await client.post("/cart/tea"));
  const reply = await client.post("/promote", withCookie(visitor));
  expect([reply.status, attempts]).toEqual([409, 100]);
});

const isRefused = ({ status, headers }: TestReply): boolean =>
  status === 409 && headers.get("set-cookie") === null;

const rotations: Readonly<Record<string, Change>> = {
  "a login": (session) => session.login("ann"),
  "a regenerate()": (session) => session.regenerate(),
  "a destroyAll() with except": (session, app) => app.sessions.destroyAll("ann", { except: session }),
};

for (const [name, rotate] of Object.entries(rotations)) {
  for (const form of [{}, { signed: true, secret }]) {
    const kind = "signed" in form ? "signed" : "stored";

    test(`${name} of a ${kind} session does not undo a concurrent logout: 409`, async () => {
      const { client, changeAfter } = driveShop(openShop(form));
      await using _ = client;
      const user = cookieOf(await client.post("/login/ann"));
      const reply = await changeAfter(user, rotate, async () => {
        expect((await client.post("/logout", withCookie(user))).status).toBe(200);
      });
      expect(isRefused(reply)).toBe(true);
    });

    test(`${name} of a ${kind} session that got a new id meanwhile creates no second one: 409`, async () => {
      const { client, changeAfter, contentOf } = driveShop(openShop(form));
      await using _ = client;
      const login = cookieOf(await client.post("/login/ann"));
      const user = cookieOf(await client.post("/set/a/1", withCookie(login))) || login;
      let promoted = "";
      const reply = await changeAfter(user, rotate, async () => {
        promoted = cookieOf(await client.post("/promote", withCookie(user)));
      });
      expect(isRefused(reply)).toBe(true);
      const isKept = name !== "a destroyAll() with except"; // destroyAll ends the promoted session
      expect(await contentOf(promoted)).toEqual(isKept ? ["ann", "a"] : [null]);
    });
  }

  test(`${name} keeps the concurrent changes of other requests`, async () => {
    const { client, changeAfter, contentOf } = driveShop(openShop());
    await using _ = client;
    const user = cookieOf(await client.post("/login/ann"));
    const change: Change = (session, app) => rotate(session.set("c", 1), app);
    const reply = await changeAfter(user, change, async () => {
      for (const path of ["/set/a/1", "/set/b/1"])
        expect((await client.post(path, withCookie(user))).status).toBe(200);
    });
    expect(reply.status).toBe(200);
    expect(await contentOf(cookieOf(reply))).toEqual(["ann", "a", "b", "c"]);
    expect(await contentOf(user)).toEqual([null]);
  });
}

for (const form of [{}, { signed: true, secret }]) {
  const kind = "signed" in form ? "signed" : "stored";

  for (const path of ["/login/ann", "/promote", "/logout"]) {
    test(`a change of a ${kind} session does not replace the cookie of a concurrent ${path}: 409`, async () => {
      const { client, changeAfter, contentOf } = driveShop(openShop(form));
      await using _ = client;
      const user = cookieOf(await client.post("/login/ann"));
      let next = "";
      const change: Change = (session) => session.set("a", 1);
      const reply = await changeAfter(user, change, async () => {
        next = cookieOf(await client.post(path, withCookie(user)));
      });
      expect(isRefused(reply)).toBe(true);
      expect(await contentOf(next)).toEqual([path === "/logout" ? null : "ann"]);
    });
  }

  test(`a use of a ${kind} session that got a new id meanwhile sets no cookie`, async () => {
    const { clock, ...shop } = openShop(form);
    const { client, changeAfter } = driveShop({ clock, ...shop });
    await using _ = client;
    const user = cookieOf(await client.post("/login/ann"));
    await clock.advance(600_000); // long enough for the use to be recorded
    const read: Change = (session) => session.get("a");
    const reply = await changeAfter(user, read, () => client.post("/promote", withCookie(user)));
    expect([reply.status, reply.headers.get("set-cookie")]).toEqual([200, null]);
  });
}

test("exactly one of many concurrent requests for a new id gets it", async () => {
  const { client, contentOf } = driveShop(openShop());
  await using _ = client;
  const user = cookieOf(await client.post("/login/ann"));
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => client.post("/promote", withCookie(user))),
  );
  const promoted = replies.filter(({ status }) => status === 200);
  expect([promoted.length, replies.filter(isRefused).length]).toEqual([1, 4]);
  const [cookie = ""] = promoted.map(cookieOf);
  expect(await contentOf(cookie)).toEqual(["ann"]);
});

test("a new id that was not sent leaves no session in the store", async () => {
  const store = sharedSessionStore(inProcessState({ clock: virtualClock() }).values);
  const written = new Set<string>();
  const recordingStore: SessionStore = {
    ...store,
    write: (key, ...rest) => (written.add(key), store.write(key, ...rest)),
  };
  const { client, changeAfter } = driveShop(openShop({ store: recordingStore }));
  await using _ = client;
  const user = cookieOf(await client.post("/login/ann"));
  await changeAfter(
    user,
    (session) => session.regenerate(),
    () => client.post("/logout", withCookie(user)),
  );
  const found = await Promise.all([...written].map(async (key) => store.read(key)));
  expect(found).toEqual(["ended", "ended"]);
});

test("concurrent changes that are too large together: one is refused, and the session can still be changed", async () => {
  const { app, ...shop } = openShop();
  const { client, changeAfter, contentOf } = driveShop({ app, ...shop });
  app.delete("/a", (request) => sessionOf(request).delete("a"));
  await using _ = client;
  const user = cookieOf(await client.post("/login/ann"));
  const reply = await changeAfter(
    user,
    (session) => session.set("b", "x".repeat(20_000)),
    () => client.post("/set/a/20000", withCookie(user)),
  );
  expect([reply.status, await contentOf(user)]).toEqual([500, ["ann", "a"]]);
  expect((await client.delete("/a", withCookie(user))).status).toBe(200);
  expect(await contentOf(user)).toEqual(["ann"]);
});

test("a new id is not given to a session that concurrent changes make too large", async () => {
  const { client, changeAfter, contentOf } = driveShop(openShop());
  await using _ = client;
  const user = cookieOf(await client.post("/login/ann"));
  const reply = await changeAfter(
    user,
    (session) => session.set("b", "x".repeat(20_000)).regenerate(),
    () => client.post("/set/a/20000", withCookie(user)),
  );
  expect([reply.status, reply.headers.get("set-cookie")]).toEqual([500, null]);
  expect(await contentOf(user)).toEqual(["ann", "a"]);
});
