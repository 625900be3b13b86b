import { inProcessState } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { sessionOf, sharedSessionStore } from "./index.ts";
import { cookieOf, openShop, secret, withCookie } from "./shop.test-kit.ts";
import { encryptedSeal, signedSeal } from "./signed/cookie-seal.ts";

const newer = "fedcba9876543210fedcba9876543210";

for (const encrypt of [false, true]) {
  const kind = encrypt ? "encrypted" : "signed";
  const config = { signed: true, encrypt, secret };

  test(`a ${kind} cookie contains the data, and is invalid after any change`, async () => {
    const { browser } = openShop(config);
    await using client = browser({ cookies: false });
    const user = cookieOf(await client.post("/login/ann"));
    const value = cookieOf(await client.post("/cart/tea", withCookie(user)));
    expect((await client.get("/me", withCookie(value))).json()).toEqual({ user: "ann", cart: "tea" });
    const content = Buffer.from(value.split(".")[0] ?? "", "base64url").toString();
    expect(content.includes("tea")).toBe(!encrypt);
    for (let at = 0; at < value.length; at += 7) {
      const forged = `${value.slice(0, at)}${value[at] === "A" ? "B" : "A"}${value.slice(at + 1)}`;
      expect((await client.get("/me", withCookie(forged))).json()).toEqual({ user: null, cart: null });
    }
  });

  test(`${kind} sessions end by logout, rotation and destroyAll, even for a client that kept the cookie`, async () => {
    const { app, browser } = openShop(config);
    await using client = browser({ cookies: false });
    const userOf = async (id: string): Promise<unknown> =>
      (await client.get("/me", withCookie(id))).json<{ user: unknown }>().user;
    const first = cookieOf(await client.post("/login/ann"));
    const second = cookieOf(await client.post("/promote", withCookie(first)));
    expect([await userOf(first), await userOf(second)]).toEqual([null, "ann"]);
    await client.post("/logout", withCookie(second));
    expect(await userOf(second)).toBeNull();
    const third = cookieOf(await client.post("/login/ann"));
    await app.sessions.destroyAll("ann");
    expect(await userOf(third)).toBeNull();
  });

  test(`a secret is replaced without ending ${kind} sessions`, async () => {
    const store = sharedSessionStore(inProcessState().values);
    await using before = openShop({ ...config, store }).browser({ cookies: false });
    await using during = openShop({ ...config, store, secret: [newer, secret] }).browser({ cookies: false });
    await using after = openShop({ ...config, store, secret: newer }).browser({ cookies: false });
    const old = cookieOf(await before.post("/login/ann"));
    const renewed = cookieOf(await during.post("/cart/tea", withCookie(old)));
    expect((await after.get("/me", withCookie(renewed))).json()).toEqual({ user: "ann", cart: "tea" });
    expect((await after.get("/me", withCookie(old))).json()).toEqual({ user: null, cart: null });
  });

  test(`a value that does not fit into a ${kind} cookie is refused when it is set`, async () => {
    const { app, browser } = openShop(config);
    app.post("/note/{length}", (request) => {
      sessionOf(request).set("note", "x".repeat(Number(request.params.length)));
      return "set";
    });
    await using client = browser({ cookies: false });
    const user = cookieOf(await client.post(`/login/${"u".repeat(100)}`));
    const largest = await client.post("/note/2680", withCookie(user));
    expect([largest.status, (largest.headers.get("set-cookie") ?? "").length < 4096]).toEqual([200, true]);
    const next = cookieOf(largest);
    expect((await client.get("/me", withCookie(next))).json()).toEqual({ user: "u".repeat(100), cart: null });
    expect((await client.post("/note/2701", withCookie(user))).status).toBe(500);
  });
}

test("a sealed value has one encoding: it is invalid with any character changed", () => {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. ";
  for (const seal of [signedSeal([secret]), encryptedSeal([secret])]) {
    for (const text of ["a", "ab", "abc"]) {
      const value = seal.seal(text);
      for (let at = 0; at < value.length; at++) {
        const others = alphabet.split("").filter((letter) => letter !== value[at]);
        const opened = others.map((letter) =>
          seal.open(`${value.slice(0, at)}${letter}${value.slice(at + 1)}`),
        );
        expect(opened.filter((each) => each !== null)).toEqual([]);
      }
      for (const longer of [`${value}=`, `${value}A`, `${value}.`, ` ${value}`])
        expect(seal.open(longer)).toBeNull();
      expect(seal.open(value)).toBe(text);
    }
  }
});

test("an arbitrary string does not open, and a sealed string opens to the original", () => {
  const seals = [signedSeal([secret]), encryptedSeal([secret])];
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (text) => {
      for (const seal of seals) expect(seal.open(text)).toBeNull();
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }), (text) => {
      for (const seal of seals) expect(seal.open(seal.seal(text))).toBe(text);
    }),
  );
});

test("a signed value is invalid as an encrypted one, and an encrypted value as a signed one", () => {
  expect(encryptedSeal([secret]).open(signedSeal([secret]).seal("text"))).toBeNull();
  expect(signedSeal([secret]).open(encryptedSeal([secret]).seal("text"))).toBeNull();
});
