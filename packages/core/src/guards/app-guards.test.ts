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

test.each<[string, Guard, string]>([
  ["true", yes, "in"],
  ["nothing", () => undefined, "in"],
  ["false", no, "403 Access denied"],
  ["a text", () => "Members only", "403 Members only"],
  ["an empty string", () => "", "403 Access denied"],
  ["null", () => null as never, "403 Access denied"],
  ["a GuardError", throwing(new GuardError("Pay first", 402)), "402 Pay first"],
  ["a GuardError without status", throwing(new GuardError("No")), "403 No"],
  ["an UnauthorizedError", unknown, "401 Authentication required"],
  ["a ForbiddenError", throwing(new ForbiddenError("Not you")), "403 Not you"],
  ["another HttpError", throwing(new NotFoundError("canary")), "403 Access denied"],
  ["another error", broken, "403 Access denied"],
  ["a thrown null", throwing(null), "403 Access denied"],
])(
  "a guard with the result %s: synchronous, asynchronous, and as an object",
  async (_name, guard, expected) => {
    const run = guard as (request: never) => unknown;
    expect(await outcome(guard)).toBe(expected);
    expect(await outcome((async (request: never) => run(request)) as Guard)).toBe(expected);
    expect(await outcome({ check: guard as never })).toBe(expected);
  },
);

test.each<[string, Guard, string]>([
  ["And(yes, yes)", And(yes, yes), "in"],
  ["And([yes, no])", And([yes, no]), "403 Access denied"],
  ["And(unknown, no)", And(unknown, no), "401 Authentication required"],
  ["And(no, unknown)", And(no, unknown), "403 Access denied"],
  ["Or(no, yes)", Or(no, yes), "in"],
  ["Or([unknown, yes])", Or([unknown, yes]), "in"],
  ["Or(unknown, unknown)", Or(unknown, unknown), "401 Authentication required"],
  ["Or(text, unknown)", Or(() => "Members only", unknown), "403 Members only"],
  ["Or(unknown, text)", Or(unknown, () => "Members only"), "403 Members only"],
  [
    "Or(one, two)",
    Or(
      () => "one",
      () => "two",
    ),
    "403 two",
  ],
  ["Or(broken, yes)", Or(broken, yes), "in"],
  ["Not(yes)", Not(yes), "403 Access denied"],
  ["Not(no)", Not(no), "in"],
  ["Not(unknown)", Not(unknown), "401 Authentication required"],
  ["Not(broken)", Not(broken), "403 Access denied"],
  ["Not(Not(yes))", Not(Not(yes)), "in"],
  ["Not(Or(no, no))", Not(Or(no, no)), "in"],
  ["And(Not(no), Or(no, yes))", And(Not(no), Or(no, yes)), "in"],
])("%s", async (_name, guard, expected) => {
  expect(await outcome(guard)).toBe(expected);
});

test("Not of a guard with passesAnonymousWhenNegated passes only anonymous callers", async () => {
  const authenticated = (refuses: boolean): Guard => ({
    passesAnonymousWhenNegated: true,
    check: refuses ? throwing(new UnauthorizedError()) : () => true,
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

test("a 401 keeps its challenge, also with explain", async () => {
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
