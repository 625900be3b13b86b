import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { areSame, csrfTokens } from "./csrf-tokens.ts";

const secret = "0123456789abcdef0123456789abcdef";

test("a token is its login's for as long as it lasts, and no longer", () => {
  let now = 1_000_000_000_000;
  const tokens = csrfTokens(secret, 3600, () => now);
  const token = tokens.issue("ada");
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
  const renewed = tokens.issue("ada", seed ?? "");
  now += 1_800_000;
  expect([tokens.seedOf(token, "ada"), tokens.seedOf(renewed, "ada")]).toEqual([null, seed]);
  now -= 3_700_000;
  expect(tokens.seedOf(renewed, "ada")).toBeNull(); // of a time that has not come
});

test("no change of a token leaves it valid, and none is valid under another key", () => {
  const tokens = csrfTokens(secret, 3600);
  const others = csrfTokens(`${secret}x`, 3600);
  fc.assert(
    fc.property(
      fc.nat(200),
      fc.string({ minLength: 1, maxLength: 1 }),
      fc.string(),
      (place, character, session) => {
        const token = tokens.issue(session);
        const at = place % token.length;
        const changed = token.slice(0, at) + character + token.slice(at + 1);
        expect(tokens.seedOf(token, session)).not.toBeNull();
        expect(others.seedOf(token, session)).toBeNull();
        expect(tokens.seedOf(changed, session) !== null).toBe(changed === token);
      },
    ),
  );
});

test("a login's name cannot run over into the token", () => {
  const tokens = csrfTokens(secret, 3600);
  const token = tokens.issue("a");
  for (const session of ["a:", "1:a", "", "-", ":a"]) expect(tokens.seedOf(token, session)).toBeNull();
});

test("tokens are new each time, and what is remembered of them is bounded", () => {
  const tokens = csrfTokens(secret, 3600);
  const all = Array.from({ length: 2500 }, (_, at) => tokens.issue(`user ${at}`));
  expect(new Set(all.map((token) => token.split(".")[0])).size).toBe(2500);
  const refused = () => all.filter((token, at) => tokens.seedOf(token, `user ${at}`) === null);
  expect([refused(), refused()]).toEqual([[], []]); // the second time most of them were forgotten in between
});

test("texts are the same or not, of whatever length", () => {
  expect([areSame("a", "a"), areSame("a", "b"), areSame("a", "aa"), areSame("é", "e")]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
