import type { Json } from "@framework/core/feature";
import { inProcessState } from "@framework/core/testing";
import type { TestReply } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { sessionOf, type SessionStore, sharedSessionStore } from "./index.ts";
import { openShop, secret, type Shop } from "./shop.test-kit.ts";

/** The user id whose JSON takes the most bytes. */
const longUser = "\u0001".repeat(256);

/** The longest `absoluteSecs`. */
const YEAR = 31_536_000;

/** Header fields with the cookie that a reply sets, under any name. */
const withCookieOf = ({ headers }: TestReply) => ({
  headers: { cookie: headers.get("set-cookie")?.split(";")[0] ?? "" },
});

/** Adds routes that set and remove strings. */
const withValueRoutes = (shop: Shop): Shop => {
  shop.app.put("/{name}/{length}", (request) => {
    const { name, length } = request.params;
    sessionOf(request).set(name, "x".repeat(Number(length)));
    return "set";
  });
  shop.app.delete("/{name}", (request) => sessionOf(request).delete(request.params.name));
  return shop;
};

test("a session that is larger than the limit can shrink, and cannot grow", async () => {
  const store = sharedSessionStore(inProcessState().values);
  let isLarger = false;
  const larger: SessionStore = {
    ...store,
    async read(key) {
      const found = await store.read(key);
      if (!isLarger || found === null || found === "ended") return found;
      const [user = null, login = 0, createdAt = 0, seenAt = 0, pairs] = found.content as readonly Json[];
      const [, ...others] = pairs as readonly Json[];
      const content = [user, login, createdAt, seenAt, [["large", "x".repeat(40_000)], ...others]];
      return { ...found, content };
    },
  };
  const { browser } = withValueRoutes(openShop({ store: larger }));
  await using client = browser();
  await client.put("/large/1");
  await client.put("/small/5");
  isLarger = true;
  expect((await client.put("/small/6")).status).toBe(500);
  expect((await client.put("/small/4")).status).toBe(200);
  expect((await client.delete("/small")).text).toBe("true");
});

for (const encrypt of [false, true]) {
  const kind = encrypt ? "encrypted" : "signed";
  const config = { signed: true, encrypt, secret, secure: true, sameSite: "Strict" } as const;

  test(`the largest ${kind} session fits into a cookie with the longest name, for any user id`, async () => {
    const { app, browser } = withValueRoutes(
      openShop({ ...config, cookieName: "n".repeat(50), absoluteSecs: YEAR }),
    );
    let user = "";
    app.post("/enter", async (request) => {
      await sessionOf(request).login(user);
      return "in";
    });
    await using client = browser({ cookies: false });
    for (user of ["u", "u".repeat(256), "\u{1f600}".repeat(128), longUser]) {
      const login = withCookieOf(await client.post("/enter"));
      const maxLength = 2800 - Buffer.byteLength(JSON.stringify([user, [["n", ""]]]));
      expect((await client.put(`/n/${maxLength + 1}`, login)).status).toBe(500);
      const largest = await client.put(`/n/${maxLength}`, login);
      expect(largest.status).toBe(200);
      expect(largest.headers.get("set-cookie")?.length).toBeLessThanOrEqual(4096);
      const found = await client.get("/me", withCookieOf(largest));
      expect(found.json()).toEqual({ user, cart: null });
    }
  });

  test(`a login that does not fit into the ${kind} cookie is refused, and the session continues`, async () => {
    const { app, browser } = withValueRoutes(openShop(config));
    const codes: unknown[] = [];
    app.post("/enter", async (request) => {
      const login = sessionOf(request).login(longUser);
      await login.catch(({ code }: { code: unknown }) => codes.push(code));
      return "refused";
    });
    await using client = browser({ cookies: false });
    const full = withCookieOf(await client.put("/cart/2680"));
    expect((await client.post("/enter", full)).headers.get("set-cookie")).toBeNull();
    expect(codes).toEqual(["SESSIONS_TOO_LARGE"]);
    const found = await client.get("/me", full);
    expect(found.json<{ cart: string }>().cart.length).toBe(2680);
  });
}
