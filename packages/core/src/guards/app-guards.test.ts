import { expect, test } from "@jest/globals";
import {
  And,
  App,
  ForbiddenError,
  type Guard,
  GuardError,
  Not,
  NotFoundError,
  Or,
  UnauthorizedError,
} from "../index.ts";

/** Returns the status and detail that a client gets from a route with a guard. */
const replyWithGuard = async (guard: Guard, env: "development" | "production" = "production") => {
  const app = new App();
  app.get("/x", { guards: [guard] }, () => "in");
  await app.start({ env, log: { info() {}, warn() {}, error() {} } });
  const reply = await app.fetch(new Request("http://host.test/x"));
  const body = await reply.text();
  return reply.status === 200
    ? "in"
    : (JSON.parse(body) as { status: number; detail: string; guard?: string });
};

const throwing = (error: unknown) => () => {
  throw error;
};
const yes: Guard = () => true;
const no: Guard = () => false;
const unknown: Guard = throwing(new UnauthorizedError());
const broken: Guard = throwing(new Error("canary"));
const outcome = async (guard: Guard) => {
  const reply = await replyWithGuard(guard);
  return reply === "in" ? "in" : `${reply.status} ${reply.detail}`;
};

test.each<[string, string, Guard]>([
  ["true", "in", yes],
  ["nothing", "in", () => undefined],
  ["false", "403 Access denied", no],
  ["a text", "403 Members only", () => "Members only"],
  ["an empty string", "403 Access denied", () => ""],
  ["null", "403 Access denied", () => null as never],
  ["a GuardError", "402 Pay first", throwing(new GuardError("Pay first", 402))],
  ["a GuardError without status", "403 No", throwing(new GuardError("No"))],
  ["an UnauthorizedError", "401 Authentication required", unknown],
  ["a ForbiddenError", "403 Not you", throwing(new ForbiddenError("Not you"))],
  ["another HttpError", "403 Access denied", throwing(new NotFoundError("canary"))],
  ["another error", "403 Access denied", broken],
  ["a thrown null", "403 Access denied", throwing(null)],
])(
  "a guard with the result %s leads to the reply %s: synchronous, asynchronous, and as an object",
  async (_name, expected, guard) => {
    const run = guard as (request: never) => unknown;
    expect(await outcome(guard)).toBe(expected);
    expect(await outcome((async (request: never) => run(request)) as Guard)).toBe(expected);
    expect(await outcome({ check: guard as never })).toBe(expected);
  },
);

test.each<[string, string, Guard]>([
  ["And(yes, yes)", "in", And(yes, yes)],
  ["And([yes, no])", "403 Access denied", And([yes, no])],
  ["And(unknown, no)", "401 Authentication required", And(unknown, no)],
  ["And(no, unknown)", "403 Access denied", And(no, unknown)],
  ["Or(no, yes)", "in", Or(no, yes)],
  ["Or([unknown, yes])", "in", Or([unknown, yes])],
  ["Or(unknown, unknown)", "401 Authentication required", Or(unknown, unknown)],
  ["Or(text, unknown)", "403 Members only", Or(() => "Members only", unknown)],
  ["Or(unknown, text)", "403 Members only", Or(unknown, () => "Members only")],
  [
    "Or(one, two)",
    "403 two",
    Or(
      () => "one",
      () => "two",
    ),
  ],
  ["Or(broken, yes)", "in", Or(broken, yes)],
  ["Not(yes)", "403 Access denied", Not(yes)],
  ["Not(no)", "in", Not(no)],
  ["Not(unknown)", "401 Authentication required", Not(unknown)],
  ["Not(broken)", "403 Access denied", Not(broken)],
  ["Not(Not(yes))", "in", Not(Not(yes))],
  ["Not(Or(no, no))", "in", Not(Or(no, no))],
  ["And(Not(no), Or(no, yes))", "in", And(Not(no), Or(no, yes))],
])("%s leads to the reply %s", async (_name, expected, guard) => {
  expect(await outcome(guard)).toBe(expected);
});

test("Not of a guard with passesAnonymousWhenNegated passes only anonymous callers", async () => {
  const authenticated = (isAnonymous: boolean): Guard => ({
    passesAnonymousWhenNegated: true,
    check: isAnonymous ? throwing(new UnauthorizedError()) : () => true,
  });
  expect(await outcome(Not(authenticated(true)))).toBe("in");
  expect(await outcome(Not(authenticated(false)))).toBe("403 Access denied");
});

test("combinators await asynchronous guards in order", async () => {
  const calls: string[] = [];
  const later =
    (name: string, verdict: boolean): Guard =>
    async () => {
      await Promise.resolve();
      calls.push(name);
      return verdict;
    };
  expect(await outcome(Or(later("a", false), later("b", true), later("c", true)))).toBe("in");
  expect(await outcome(And(later("d", true), later("e", false), later("f", true)))).toBe("403 Access denied");
  expect(calls).toEqual(["a", "b", "d", "e"]);
});

test("And and Or throw without guards", () => {
  for (const make of [() => And(), () => Or([])]) {
    expect(make).toThrow(expect.objectContaining({ code: "CORE_GUARD_EMPTY" }));
  }
});

test("a denial names its guard in development only", async () => {
  const weekdays: Guard = { name: "weekdays", check: () => "Closed today" };
  expect(await replyWithGuard(weekdays, "development")).toMatchObject({
    detail: "Closed today",
    guard: "weekdays",
  });
  expect(await replyWithGuard(weekdays)).not.toHaveProperty("guard");
});

test("a 401 has its challenge in development and in production", async () => {
  for (const env of ["development", "production"] as const) {
    const app = new App();
    app.get("/x", { guards: [{ name: "login", check: throwing(new UnauthorizedError()) }] }, () => "in");
    await app.start({ env });
    const reply = await app.fetch(new Request("http://host.test/x"));
    expect(reply.headers.get("www-authenticate")).toBe('Bearer realm="Restricted"');
  }
});

test("a guard's own failure is logged once with its error and hidden from the client", async () => {
  const logged: unknown[] = [];
  const app = new App();
  app.get("/x", { guards: [broken] }, () => "in");
  await app.start({
    log: { info() {}, warn() {}, error: (_message, fields) => void logged.push(fields?.["error"]) },
  });
  expect(await (await app.fetch(new Request("http://host.test/x"))).text()).not.toContain("canary");
  expect(logged).toEqual([expect.objectContaining({ message: "canary" })]);
});

test("a class in place of a guard is a start error, because only new can call it", async () => {
  class IsAdmin {
    check(): boolean {
      return false;
    }
  }
  const guard = IsAdmin as unknown as Guard;
  const app = new App().addGuard(guard);
  app.get("/x", { guards: [guard] }, () => "in");
  const error = await app.start().catch((reason: unknown) => reason);
  const { problems } = error as { problems: readonly { code: string; message: string }[] };
  expect(problems.map(({ code }) => code)).toEqual(["CORE_BAD_GUARD", "CORE_BAD_ROUTE"]);
  for (const { message } of problems) expect(message).toMatch(/a class needs new$/);
  expect(() => And(guard)).toThrow("a class needs new");
});
