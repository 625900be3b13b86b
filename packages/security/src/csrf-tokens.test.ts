import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { areSame, csrfTokens } from "./csrf-tokens.ts";
import { unmask } from "./token-mask.ts";

const ada = { session: "ada", caller: null };
const secret = "0123456789abcdef0123456789abcdef";

test("a token is valid for its login until it expires", () => {
  let now = 1_000_000_000_000;
  const tokens = csrfTokens(secret, 3600, () => now);
  const token = tokens.issue(ada);
  const seed = tokens.seedOf(token, "ada");
  expect(seed).toHaveLength(22);
  expect([tokens.seedOf(token, "eve"), tokens.seedOf(token, null), tokens.seedOf(token, "")]).toEqual([
    null,
    null,
    null,
  ]);
  now += 1_799_000;
  expect([tokens.seedOf(token, "ada"), tokens.isAging(token)]).toEqual([seed, false]);
  now += 1000;
  expect(tokens.isAging(token)).toBe(true);
  const renewed = tokens.issue(ada, seed ?? "");
  now += 1_800_000;
  expect([tokens.seedOf(token, "ada"), tokens.seedOf(renewed, "ada")]).toEqual([null, seed]);
  now -= 3_700_000;
  expect(tokens.seedOf(renewed, "ada")).toBeNull(); // issued in the future
});

test("an altered token, or one of another key, is invalid", () => {
  const tokens = csrfTokens(secret, 3600);
  const others = csrfTokens(`${secret}x`, 3600);
  fc.assert(
    fc.property(
      fc.nat(200),
      fc.string({ minLength: 1, maxLength: 1 }),
      fc.string(),
      (place, character, session) => {
        const token = tokens.issue({ session, caller: null });
        const at = place % token.length;
        const changed = token.slice(0, at) + character + token.slice(at + 1);
        expect(tokens.seedOf(token, session)).not.toBeNull();
        expect(others.seedOf(token, session)).toBeNull();
        expect(tokens.seedOf(changed, session) !== null).toBe(changed === token);
      },
    ),
  );
});

test("a token is invalid for a session id that resembles the encoded form of its own", () => {
  const tokens = csrfTokens(secret, 3600);
  const token = tokens.issue({ session: "a", caller: null });
  for (const session of ["a:", "1:a", "", "-", ":a"]) expect(tokens.seedOf(token, session)).toBeNull();
});

test("a token is valid for one caller only, for any names of callers", () => {
  const tokens = csrfTokens(secret, 3600);
  const name = fc.option(fc.string());
  fc.assert(
    fc.property(name, name, (caller, other) => {
      const token = tokens.issue({ session: null, caller });
      expect([tokens.isOf(token, caller), tokens.isOf(token, other)]).toEqual([true, caller === other]);
    }),
  );
});

test("every token is unique, and a token that the cache has evicted stays valid", () => {
  const tokens = csrfTokens(secret, 3600);
  const all = Array.from({ length: 2500 }, (_, at) => tokens.issue({ session: `user ${at}`, caller: null }));
  expect(new Set(all.map((token) => unmask(token).split(".")[0])).size).toBe(2500);
  const refused = () => all.filter((token, at) => tokens.seedOf(token, `user ${at}`) === null);
  expect([refused(), refused()]).toEqual([[], []]); // most were evicted before the second call
});

test("only identical strings compare as equal, whatever their lengths", () => {
  expect([areSame("a", "a"), areSame("a", "b"), areSame("a", "aa"), areSame("é", "e")]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
