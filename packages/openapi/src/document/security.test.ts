import type { RouteInfo } from "@framework/core";
import { expect, test } from "@jest/globals";
import { createSecurity } from "./security.ts";

const schemes = {
  jwt: { type: "http", scheme: "bearer" },
  key: { type: "apiKey", in: "header", name: "X-API-Key" },
} as const;

/** Returns the requirements of a route with authentications of these schemes. */
const requirementsOf = (...auth: readonly RouteInfo["auth"][number]["schemes"][]) => {
  const described = auth.map((each) => ({ schemes: each, skips: () => false }));
  return createSecurity().requirements({ auth: described } as unknown as RouteInfo);
};

test("an authentication without a described scheme does not remove the requirements of others", () => {
  expect(requirementsOf({ jwt: schemes.jwt }, {})).toEqual([{ jwt: [] }]);
  expect(requirementsOf({})).toEqual([]);
});

test("each combination of the schemes of several authentications is listed once", () => {
  expect(requirementsOf(schemes, schemes)).toEqual([{ jwt: [] }, { jwt: [], key: [] }, { key: [] }]);
  expect(requirementsOf(schemes, { jwt: schemes.jwt })).toEqual([{ jwt: [] }, { jwt: [], key: [] }]);
});
