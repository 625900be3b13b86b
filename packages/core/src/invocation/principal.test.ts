import { expect, test } from "@jest/globals";
import { Context, key } from "../index.ts";
import { ApiKeyName, type Claims, JwtClaims, principalOf, User } from "../feature.ts";

const claims: Claims = { sub: "ann", exp: 1 };

test("a token, a user and an API key are combined into one principal", () => {
  const context = new Context();
  expect(principalOf({ context })).toBeNull();
  expect(principalOf({ context: context.set(JwtClaims, claims) })).toEqual({ claims });
  expect(principalOf({ context: context.set(User, "ann") })).toEqual({ claims, user: "ann" });
  context.set(ApiKeyName, "billing");
  expect(principalOf({ context })).toEqual({ claims, user: "ann", apiKeyName: "billing" });
});

test("an application's own user is the user of the principal, by the name user or by the application's key", () => {
  const account = { roles: ["admin"] };
  const Account = key<object | null>("account", null);
  expect(principalOf({ context: new Context().set(User, "ann").set("user", account) })).toEqual({
    user: account,
  });
  const context = new Context().set(Account, account);
  expect([principalOf({ context }), principalOf({ context }, "account")]).toEqual([null, { user: account }]);
});

test.each([null, undefined, false, ""])("%j does not identify a caller", (anonymous) => {
  const context = new Context()
    .set("user", anonymous)
    .set("jwt_claims", anonymous)
    .set("api_key_name", anonymous);
  expect(principalOf({ context })).toBeNull();
});
