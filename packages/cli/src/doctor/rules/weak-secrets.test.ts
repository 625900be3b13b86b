import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { weakSecrets } from "./weak-secrets.ts";
import type { Facts } from "./facts.ts";

const isFound = (value: string): boolean => {
  const facts: Facts = {
    program: null,
    packages: [],
    otherCores: [],
    workloads: [],
    others: [],
    proxies: [],
    unreadable: [],
    files: [{ path: ".env", variables: new Map([["AUTH_SECRET", value]]) }],
  };
  return weakSecrets(facts).length > 0;
};

test.each([
  "changeme",
  "changeme-changeme-changeme-changeme",
  "CHANGE_ME_CHANGE_ME_CHANGE_ME_CHANGE_ME",
  "your-secret-key-your-secret-key-your",
  "use-your-own-secret-here",
  "replace-this-with-a-secret-of-32-bytes",
  "<put your secret of 32 characters here>",
  "secretsecretsecretsecretsecretsecret",
  "this-is-a-secret-change-it-in-production",
  "an-example-key-1",
  "PLACEHOLDER_0001",
  "0123456789abcdef0123456789abcdef",
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
  "${TOKEN:-changeme}",
])("a placeholder is found: %s", (value) => {
  expect(isFound(value)).toBe(true);
});

test.each(["", "${CHANGE_ME}", "$EXAMPLE", "correct horse battery staple", "interchangeability9", "k3y"])(
  "other values are not found: %j",
  (value) => {
    expect(isFound(value)).toBe(false);
  },
);

test("random text that contains a short placeholder word is not found", () => {
  expect(isFound("0MZmWTbsyJ_gZGKXsVzOXoIvVYk1yOUR_B9KhDXKtonT8HR-5VCc")).toBe(false);
});

test("random bytes in base64, base64url and hexadecimal are not found", () => {
  fc.assert(
    fc.property(
      fc.noBias(fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 16, maxLength: 64 })),
      fc.constantFrom("base64" as const, "base64url" as const, "hex" as const),
      (bytes, encoding) => {
        expect([isFound(Buffer.from(bytes).toString(encoding)), bytes]).toEqual([false, bytes]);
      },
    ),
    { numRuns: 3000 },
  );
});
