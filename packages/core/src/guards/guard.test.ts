import { expect, test } from "@jest/globals";
import type { HttpError } from "../errors/http-error.ts";
import { ForbiddenError, GuardError, NotFoundError, UnauthorizedError } from "../errors/http-errors.ts";
import { createInvocation } from "../invocation/invocation.ts";
import { type Guard, isGuard } from "./guard.ts";
import { verifyGuards } from "./verify-guards.ts";

const invocation = createInvocation({ kind: "command", name: "PlaceOrder" });
const silent = { error: () => {} };

const outcome = async (guards: readonly Guard[], options = {}): Promise<HttpError | "passes"> => {
  try {
    await verifyGuards(guards, invocation, { log: silent, ...options });
    return "passes";
  } catch (error) {
    return error as HttpError;
  }
};

/** The same guard as a function and as an object, synchronous and asynchronous. */
const forms = (decide: () => unknown): readonly (readonly [form: string, guard: Guard])[] => [
  ["a function", () => decide() as boolean],
  ["an async function", async () => decide() as boolean],
  ["an object", { check: () => decide() as boolean }],
  ["an async object", { check: async () => decide() as boolean }],
  ["a function that returns a thenable whose `then` returns nothing", () => thenable(decide)],
];

const thenable = (decide: () => unknown): Promise<boolean> =>
  ({
    // oxlint-disable-next-line unicorn/no-thenable -- a query builder is one
    then(resolve: (value: unknown) => void, reject: (error: unknown) => void) {
      try {
        resolve(decide());
      } catch (error) {
        reject(error);
      }
    },
  }) as unknown as Promise<boolean>;

const rows: readonly (readonly [
  name: string,
  decide: () => unknown,
  status: number | "passes",
  detail?: string,
])[] = [
  ["true", () => true, "passes"],
  ["undefined", () => undefined, "passes"],
  ["false", () => false, 403, "Access denied"],
  ["a text", () => "Only on Mondays", 403, "Only on Mondays"],
  ["an empty string", () => "", 403, "Access denied"],
  ["null", () => null, 403, "Access denied"],
  ["0", () => 0, 403, "Access denied"],
  ["1", () => 1, 403, "Access denied"],
  ["an object", () => ({}), 403, "Access denied"],
  ["a thrown GuardError", () => throws(new GuardError("Too young")), 403, "Too young"],
  ["a thrown GuardError with a status", () => throws(new GuardError("Pay first", 402)), 402, "Pay first"],
  ["a thrown UnauthorizedError", () => throws(new UnauthorizedError()), 401, "Authentication required"],
  ["a thrown ForbiddenError", () => throws(new ForbiddenError("No")), 403, "No"],
  ["any other HttpError", () => throws(new NotFoundError()), 403, "Access denied"],
  ["any other error", () => throws(new TypeError("bug")), 403, "Access denied"],
  ["a thrown text", () => throws("bug"), 403, "Access denied"],
  ["a thrown undefined", () => throws(undefined), 403, "Access denied"],
];

const throws = (error: unknown): never => {
  throw error;
};

const table = rows.flatMap(([name, decide, status, detail]) =>
  forms(decide).map(([form, guard]) => [name, form, status, guard, detail] as const),
);

test.each(table)("%s from %s: %s", async (_name, _form, status, guard, detail) => {
  const result = await outcome([guard]);
  expect(result === "passes" ? [result, undefined] : [result.status, result.detail]).toEqual([
    status,
    detail,
  ]);
});

test("synchronous guards return synchronously, and the first asynchronous one returns a promise", async () => {
  const calls: string[] = [];
  const sync = () => void calls.push("sync");
  expect(verifyGuards([sync, sync], invocation)).toBeUndefined();
  expect(() => verifyGuards([() => false], invocation)).toThrow(ForbiddenError);
  const verified = verifyGuards([sync, async () => void calls.push("async"), sync], invocation);
  expect(verified).toBeInstanceOf(Promise);
  await verified;
  expect(calls).toEqual(["sync", "sync", "sync", "async", "sync"]);
});

test("the first refusal is final: later guards do not run", async () => {
  const calls: string[] = [];
  const never = () => void calls.push("called");
  for (const refusing of [() => "first", async () => "first"]) {
    expect(await outcome([refusing, never, () => "second"])).toMatchObject({ detail: "first" });
  }
  expect(calls).toEqual([]);
});

test("an error that a guard throws to refuse a caller is passed on unchanged", async () => {
  class TooYoung extends ForbiddenError {
    override readonly name = "TooYoung";
  }
  const error = new TooYoung("Too young", { minimum: 18 });
  expect(await outcome([() => throws(error)])).toBe(error);
  expect(error.extras).toEqual({ minimum: 18 });
});

test("a fault is logged with the names of guard and invocation, and kept as the cause", async () => {
  const logged: unknown[] = [];
  const error = new TypeError("bug");
  const log = { error: (...entry: unknown[]) => logged.push(entry) };
  const Broken = function broken() {
    throw error;
  };
  expect(await outcome([Broken], { log })).toMatchObject({
    code: "CORE_GUARD_FAILED",
    cause: error,
    extras: {},
  });
  expect(logged).toEqual([
    [
      'guard "broken" failed and did not admit the caller',
      { error, guard: "broken", kind: "command", invocation: "PlaceOrder" },
    ],
  ]);
});

test("refusals are not logged", async () => {
  const logged: unknown[] = [];
  const log = { error: (...entry: unknown[]) => logged.push(entry) };
  for (const guard of [() => false, () => "no", () => throws(new UnauthorizedError())])
    await outcome([guard], { log });
  expect(logged).toEqual([]);
});

test("an undefined or null entry in the list of guards refuses the caller", async () => {
  expect(await outcome([undefined as unknown as Guard])).toMatchObject({
    status: 403,
    code: "CORE_GUARD_FAILED",
  });
  expect(await outcome([null as unknown as Guard])).toMatchObject({ status: 403, code: "CORE_GUARD_FAILED" });
});

class RoleGuard {
  check() {
    return "Requires one of roles: admin";
  }
}

test.each<[string, Guard, string]>([
  [
    "a function's name",
    function admins() {
      return false;
    },
    "admins",
  ],
  ["an object's name", { name: "Owner", check: () => false }, "Owner"],
  ["a class", new RoleGuard(), "RoleGuard"],
  [
    "a guard that throws its refusal",
    function thrower() {
      throw new GuardError("no", 402);
    },
    "thrower",
  ],
  [
    "a guard that fails",
    function faulty() {
      throw new Error("bug");
    },
    "faulty",
  ],
])("with explain the refusal names the guard by %s", async (_, guard, name) => {
  expect(await outcome([guard], { explain: true })).toMatchObject({ extras: { guard: name } });
});

test.each<[string, Guard]>([
  [
    "a function without name",
    (
      () => () =>
        false
    )(),
  ],
  ["a plain object", { check: () => false }],
  ["an object without prototype", Object.assign(Object.create(null) as object, { check: () => false })],
])("with explain the refusal omits %s, which has no name", async (_, guard) => {
  expect(await outcome([guard], { explain: true })).toMatchObject({ status: 403 });
  expect(await outcome([guard], { explain: true })).not.toHaveProperty("extras.guard");
});

test("without explain the refusal does not name the guard", async () => {
  expect(await outcome([new RoleGuard()])).toMatchObject({ extras: {} });
});

test("a frozen error that a guard throws is not changed, even with explain", async () => {
  const error = Object.freeze(new GuardError("no"));
  expect(await outcome([() => throws(error)], { explain: true })).toBe(error);
});

test("guards are functions and objects with check", () => {
  expect([() => true, { check: () => true }, new RoleGuard()].every(isGuard)).toBe(true);
  expect([undefined, null, true, "guard", {}, { check: true }].some(isGuard)).toBe(false);
});
