import { expect, test } from "@jest/globals";
import fc from "fast-check";
import type { HttpError } from "../errors/http-error.ts";
import { GuardError, UnauthorizedError } from "../errors/http-errors.ts";
import { createInvocation } from "../invocation/invocation.ts";
import { And, Not, Or } from "./combinators.ts";
import type { Guard } from "./guard.ts";
import { verifyGuards } from "./verify-guards.ts";

const invocation = createInvocation({ kind: "command", name: "PlaceOrder" });
const silent = { error: () => {} };

const outcome = async (guard: Guard, options = {}): Promise<HttpError | "passes"> => {
  try {
    await verifyGuards([guard], invocation, { log: silent, ...options });
    return "passes";
  } catch (error) {
    return error as HttpError;
  }
};

const summary = async (guard: Guard): Promise<string> => {
  const result = await outcome(guard);
  return result === "passes" ? result : `${result.status} ${result.detail}`;
};

const throws = (error: unknown): never => {
  throw error;
};

const pass: Guard = () => true;
const deny: Guard = () => "denied";
const deny2: Guard = () => "denied too";
const anonymous: Guard = () => throws(new UnauthorizedError());
const expired: Guard = () => throws(new UnauthorizedError("Invalid or expired token"));
const unpaid: Guard = () => throws(new GuardError("Pay first", 402));
const broken: Guard = () => throws(new Error("bug"));
const authenticated: Guard = { check: anonymous, passesAnonymousWhenNegated: true };
const authenticatedUser: Guard = { check: () => true, passesAnonymousWhenNegated: true };

const table: readonly (readonly [formula: string, guard: Guard, expected: string])[] = [
  ["And(pass)", And(pass), "passes"],
  ["And(pass, pass)", And(pass, pass), "passes"],
  ["And(pass, deny)", And(pass, deny), "403 denied"],
  ["And(deny, deny2)", And(deny, deny2), "403 denied"],
  ["And(anonymous, deny)", And(anonymous, deny), "401 Authentication required"],
  ["And(deny, anonymous)", And(deny, anonymous), "403 denied"],
  ["And(pass, broken)", And(pass, broken), "403 Access denied"],
  ["Or(pass)", Or(pass), "passes"],
  ["Or(deny, pass)", Or(deny, pass), "passes"],
  ["Or(broken, pass)", Or(broken, pass), "passes"],
  ["Or(anonymous, pass)", Or(anonymous, pass), "passes"],
  ["Or(deny, deny2)", Or(deny, deny2), "403 denied too"],
  ["Or(anonymous, expired)", Or(anonymous, expired), "401 Authentication required"],
  ["Or(anonymous, deny)", Or(anonymous, deny), "403 denied"],
  ["Or(deny, anonymous)", Or(deny, anonymous), "403 denied"],
  ["Or(deny, anonymous, deny2, anonymous)", Or(deny, anonymous, deny2, anonymous), "403 denied too"],
  ["Or(anonymous, unpaid)", Or(anonymous, unpaid), "402 Pay first"],
  ["Or(anonymous, broken)", Or(anonymous, broken), "403 Access denied"],
  ["Not(pass)", Not(pass), "403 Access denied"],
  ["Not(deny)", Not(deny), "passes"],
  ["Not(unpaid)", Not(unpaid), "passes"],
  ["Not(anonymous)", Not(anonymous), "401 Authentication required"],
  ["Not(authenticated) for an anonymous caller", Not(authenticated), "passes"],
  ["Not(authenticated) for a user", Not(authenticatedUser), "403 Access denied"],
  ["Not(Not(authenticated)) for an anonymous caller", Not(Not(authenticated)), "403 Access denied"],
  ["Not(Not(authenticated)) for a user", Not(Not(authenticatedUser)), "passes"],
  [
    "Not(And(authenticated, deny)) for an anonymous caller",
    Not(And(authenticated, deny)),
    "401 Authentication required",
  ],
  ["Not(broken)", Not(broken), "403 Access denied"],
  ["Not(Not(broken))", Not(Not(broken)), "403 Access denied"],
  ["Not(And(pass, broken))", Not(And(pass, broken)), "403 Access denied"],
  ["Not(Or(broken, deny))", Not(Or(broken, deny)), "403 Access denied"],
  ["Not(Or(deny, broken))", Not(Or(deny, broken)), "403 Access denied"],
  ["Not(And(deny, broken))", Not(And(deny, broken)), "passes"],
  ["a list: And([pass, deny])", And([pass, deny]), "403 denied"],
  ["a list: Or([deny, pass])", Or([deny, pass]), "passes"],
  ["lists and arguments: Or(deny, [deny, pass])", Or(deny, [deny, pass]), "passes"],
];

const titled = table.map(([formula, guard, expected]) => [formula, expected, guard] as const);

test.each(titled)("%s: %s", async (_, expected, guard) => {
  expect(await summary(guard)).toBe(expected);
});

test("a combination of synchronous guards is synchronous", () => {
  expect(verifyGuards([And(pass, Or(deny, pass), Not(deny))], invocation)).toBeUndefined();
  expect(() => verifyGuards([Not(pass)], invocation)).toThrow("Access denied");
});

test("guards after the deciding one do not run", async () => {
  const calls: string[] = [];
  const never: Guard = () => void calls.push("called");
  await outcome(And(deny, never));
  await outcome(Or(pass, never));
  await outcome(And(async () => false, never));
  await outcome(Or(async () => true, never));
  expect(calls).toEqual([]);
});

test("a combination can be called directly: check throws the refusal", async () => {
  const check = async (guard: Guard) => (typeof guard === "function" ? undefined : guard.check(invocation));
  await expect(check(Not(pass))).rejects.toMatchObject({ status: 403, detail: "Access denied" });
  await expect(check(And(pass, async () => "later"))).rejects.toMatchObject({ detail: "later" });
  expect(await check(Or(deny, async () => true))).toBeUndefined();
});

test("a fault that check throws, such as one from another copy of the package, does not count as a decision", async () => {
  const inner = And(pass, () => throws(Object.assign(new GuardError("x"), { code: "CORE_GUARD_FAILED" })));
  const otherCopy: Guard = { check: (it) => (typeof inner === "function" ? inner(it) : inner.check(it)) };
  expect(await summary(Not(otherCopy))).toBe("403 x");
});

test("a fault in a branch is logged even if another branch passes", async () => {
  const logged: unknown[] = [];
  expect(await outcome(Or(broken, pass), { log: { error: (message: string) => logged.push(message) } })).toBe(
    "passes",
  );
  expect(logged).toEqual(['guard "broken" failed and did not admit the caller']);
});

const named = (name: string, verdict: boolean): Guard => ({ name, check: () => verdict });

test.each<[Guard, string]>([
  [And(named("A", true), named("B", false)), "B"],
  [Or(named("A", false), named("B", false)), "Or(A, B)"],
  [Not(named("A", true)), "Not(A)"],
  [And(named("A", true), Not(Or(named("B", true), named("C", true)))), "Not(Or(B, C))"],
])("with explain the refusal names the deciding guard, without it no guard", async (guard, name) => {
  expect(await outcome(guard, { explain: true })).toMatchObject({ extras: { guard: name } });
  expect(await outcome(guard)).toMatchObject({ extras: {} });
});

test.each([
  ["And()", () => And(), "CORE_GUARD_EMPTY"],
  ["And([])", () => And([]), "CORE_GUARD_EMPTY"],
  ["Or()", () => Or(), "CORE_GUARD_EMPTY"],
  ["Or([])", () => Or([]), "CORE_GUARD_EMPTY"],
  ["And(undefined)", () => And(undefined as unknown as Guard), "CORE_GUARD_INVALID"],
  ["Or(pass, {})", () => Or(pass, {} as Guard), "CORE_GUARD_INVALID"],
  ["Not()", () => Not(undefined as unknown as Guard), "CORE_GUARD_INVALID"],
  ["Not([])", () => Not([] as unknown as Guard), "CORE_GUARD_EMPTY"],
])("%s throws when it is called", (_, make, code) => {
  expect(make).toThrow(expect.objectContaining({ code }));
});

/** The truth value of a formula, without short-circuit evaluation. */
type Truth = "pass" | "403" | "401" | "fault";
interface Formula {
  readonly guard: Guard;
  readonly truth: Truth;
}

const leaf: fc.Arbitrary<Formula> = fc
  .record({ truth: fc.constantFrom<Truth>("pass", "403", "401", "fault"), later: fc.boolean() })
  .map(({ truth, later }) => {
    const decide = (): boolean => {
      if (truth === "401") throw new UnauthorizedError();
      if (truth === "fault") throw new Error("bug");
      return truth === "pass";
    };
    return { truth, guard: later ? async () => decide() : decide };
  });

const conjunction = (parts: readonly Formula[]): Truth =>
  parts.find(({ truth }) => truth !== "pass")?.truth ?? "pass";

const disjunction = (parts: readonly Formula[]): Truth => {
  const truths = new Set(parts.map(({ truth }) => truth));
  return (["pass", "fault", "403", "401"] as const).find((truth) => truths.has(truth)) ?? "pass";
};

const negation: Record<Truth, Truth> = { pass: "403", "403": "pass", "401": "401", fault: "fault" };

const { formula } = fc.letrec<{ formula: Formula; parts: Formula[] }>((tie) => ({
  formula: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    tie("parts").map((parts) => ({ guard: And(parts.map(({ guard }) => guard)), truth: conjunction(parts) })),
    tie("parts").map((parts) => ({
      guard: Or(...parts.map(({ guard }) => guard)),
      truth: disjunction(parts),
    })),
    tie("formula").map(({ guard, truth }) => ({ guard: Not(guard), truth: negation[truth] })),
  ),
  parts: fc.array(tie("formula"), { minLength: 1, maxLength: 4 }),
}));

test("every formula of And, Or and Not evaluates to its truth value, and a fault admits no caller", async () => {
  await fc.assert(
    fc.asyncProperty(formula, async ({ guard, truth }) => {
      const result = await outcome(guard);
      const status = result === "passes" ? "pass" : String(result.status);
      expect(status).toBe(truth === "fault" ? "403" : truth);
    }),
    { numRuns: 300 },
  );
});

test("a guard with an invalid verdict rejects, negated or not, and the fault is logged", async () => {
  const errors: unknown[] = [];
  const log = { error: (_text: string, fields?: { error?: unknown }) => void errors.push(fields?.error) };
  for (const verdict of [null, 5, {}, ["true"]]) {
    const guard = () => verdict as never;
    for (const each of [guard, Not(guard), async () => verdict as never])
      await expect(async () => verifyGuards([each], invocation, { log })).rejects.toMatchObject({
        status: 403,
      });
  }
  expect(errors).toHaveLength(12);
  expect(String(errors[0])).toBe(
    "TypeError: it returned null; a guard must return true, false or a string, or throw",
  );
});

test("verifyGuards rejects one guard in place of a list", () => {
  expect(() => verifyGuards((() => false) as never, invocation)).toThrow(
    "verifyGuards takes a list of guards",
  );
});

test("Not rejects a list, of which it would negate only the first guard", () => {
  expect(() => Not([() => false, () => true] as never)).toThrow(
    expect.objectContaining({
      code: "CORE_GUARD_INVALID",
      message: "Not(...) takes one guard: write Not(And(...)) or Not(Or(...))",
    }),
  );
});
