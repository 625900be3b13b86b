import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { retryDelayMs, retryPolicy } from "./retry-policy.ts";

test("a policy is a frozen record with defaults and survives a JSON round trip", () => {
  const policy = retryPolicy({ attempts: 5 });
  expect(policy).toEqual({ attempts: 5, delayMs: 100, factor: 2, jitter: 0.5, maxDelayMs: 30_000 });
  expect(Object.isFrozen(policy)).toBe(true);
  expect(retryPolicy(JSON.parse(JSON.stringify(policy)))).toEqual(policy);
});

test("one error lists every mistake", () => {
  const wrong = { attempts: 0, delayMs: -1, factor: 0.5, jitter: 2, maxDelays: 1 };
  expect(() => retryPolicy(wrong as never)).toThrow(
    /maxDelays[\s\S]*attempts[\s\S]*delayMs[\s\S]*factor[\s\S]*jitter/,
  );
});

test("delays grow by the factor up to maxDelayMs", () => {
  const policy = retryPolicy({ delayMs: 100, factor: 3, jitter: 0, maxDelayMs: 1000 });
  expect([1, 2, 3, 4, 900].map((attempt) => retryDelayMs(policy, attempt, 0.5))).toEqual([
    100, 300, 900, 1000, 1000,
  ]);
});

test("a delay of 0 stays 0 after many attempts", () => {
  expect(retryDelayMs(retryPolicy({ attempts: 1000, delayMs: 0, factor: 10 }), 1000, 0.5)).toBe(0);
});

test("jitter shortens a delay by at most its fraction", () => {
  const policies = fc.record({
    attempts: fc.integer({ min: 1, max: 1000 }),
    delayMs: fc.integer({ min: 0, max: 86_400_000 }),
    factor: fc.double({ min: 1, max: 10, noNaN: true }),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    maxDelayMs: fc.integer({ min: 0, max: 86_400_000 }),
  });
  const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(policies, fc.integer({ min: 1, max: 1000 }), randoms, (policy, attempt, random) => {
      const whole = retryDelayMs({ ...policy, jitter: 0 }, attempt, random);
      const delay = retryDelayMs(policy, attempt, random);
      expect(whole).toBeLessThanOrEqual(policy.maxDelayMs);
      expect(delay).toBeLessThanOrEqual(whole);
      expect(delay).toBeGreaterThanOrEqual(whole * (1 - policy.jitter) * 0.999_999);
    }),
  );
});

test("custom defaults apply to fields that are absent or undefined", () => {
  const policy = retryPolicy({ attempts: undefined, delayMs: 1 }, { attempts: 7, delayMs: 50, factor: 3 });
  expect(policy).toMatchObject({ attempts: 7, delayMs: 1, factor: 3, jitter: 0.5 });
});

test.each([[5], [null], [[3]], ["3"]])("a policy must be an object, not %j", (policy) => {
  expect(() => retryPolicy(policy as never)).toThrow(
    expect.objectContaining({
      code: "CORE_BAD_CONFIG",
      message: expect.stringContaining("must be an object with fields"),
    }),
  );
});
