// oxlint-disable jest/no-standalone-expect -- the assertions run inside the tests that eachClient registers
import { And, App, type Guard, Not, Or } from "@framework/core";
import { virtualClock } from "@framework/core/testing";
import { eachClient, testClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import {
  anyOf,
  ApiKeyAuth,
  Authenticated,
  AuthenticatedGuard,
  BasicAuth,
  JwtAuth,
  Permission,
  PermissionGuard,
  Role,
  RoleGuard,
} from "../index.ts";

const jwt = new JwtAuth({ secret: "0123456789abcdef0123456789abcdef" });
const basic = new BasicAuth((_name, password) => password === "p");
const keys = new ApiKeyAuth({ k: "billing" });
const rolesOf = async (principal: unknown) =>
  principal === "ann" || principal === "billing" ? ["admin"] : "visitor";

/** An anonymous caller, and one caller per authentication. */
const callers = {
  anonymous: {},
  token: { authorization: `Bearer ${await jwt.createToken({ sub: "ann" })}` },
  "admin's token": {
    authorization: `Bearer ${await jwt.createToken({ sub: "ann", roles: ["admin", "user"], scope: "read write" })}`,
  },
  user: { authorization: `Basic ${Buffer.from("ann:p").toString("base64")}` },
  key: { "x-api-key": "k" },
} as const;
type Caller = keyof typeof callers;

const guards = {
  authenticated: new AuthenticatedGuard(),
  admin: new RoleGuard("admin"),
  "resolved admin": new RoleGuard(["admin"], { resolve: rolesOf }),
  "admin and user": new RoleGuard(["admin", "user"], { requireAll: true }),
  "root and admin": new RoleGuard(["root", "admin"], { requireAll: true }),
  "root or admin": new RoleGuard("root, admin"),
  writes: new PermissionGuard("write"),
  "reads and deletes": new PermissionGuard(["read", "delete"]),
  "reads or deletes": new PermissionGuard(["read", "delete"], { requireAll: false }),
  anonymous: Not(new AuthenticatedGuard()),
  "not admin": Not(new RoleGuard("admin")),
  "authenticated and admin": And(new AuthenticatedGuard(), new RoleGuard("admin")),
  "admin or writes": Or(new RoleGuard("admin"), new PermissionGuard("write")),
} satisfies Record<string, Guard>;

const table: Readonly<
  Record<
    keyof typeof guards,
    readonly [anonymous: number, token: number, admin: number, user: number, key: number]
  >
> = {
  authenticated: [401, 200, 200, 200, 200],
  admin: [401, 403, 200, 403, 403],
  "resolved admin": [401, 403, 200, 200, 200],
  "admin and user": [401, 403, 200, 403, 403],
  "root and admin": [401, 403, 403, 403, 403],
  "root or admin": [401, 403, 200, 403, 403],
  writes: [401, 403, 200, 403, 403],
  "reads and deletes": [401, 403, 403, 403, 403],
  "reads or deletes": [401, 403, 200, 403, 403],
  anonymous: [200, 403, 403, 403, 403],
  "not admin": [401, 200, 403, 200, 200],
  "authenticated and admin": [401, 403, 200, 403, 403],
  "admin or writes": [401, 403, 200, 403, 403],
};

/** Routes with each guard; anonymous requests reach the guards. */
const createApp = () => {
  const identify = anyOf(jwt, basic, keys);
  const app = new App().use({
    install: (host) => identify.install(host),
    handle: (request, next) =>
      Object.keys(callers.token)
        .concat("x-api-key")
        .some((name) => request.headers.has(name))
        ? identify.handle(request, next)
        : next(request),
  });
  for (const [index, guard] of Object.values(guards).entries())
    app.get(`/${index}`, { guards: [guard] }, () => "in");
  return app;
};

eachClient(test, createApp, {
  "every guard gives each kind of caller the status in the table": async (client) => {
    for (const [index, [name, statuses]] of Object.entries(table).entries()) {
      const seen = await Promise.all(
        (Object.keys(callers) as Caller[]).map(
          async (caller) => (await client.get(`/${index}`, { headers: callers[caller] })).status,
        ),
      );
      expect([name, seen]).toEqual([name, statuses]);
    }
  },
  "a refusal has the standard body, and names its guard in development": async (client) => {
    const refused = async (guard: keyof typeof guards, caller: Caller) => {
      const reply = await client.get(`/${Object.keys(guards).indexOf(guard)}`, { headers: callers[caller] });
      return [reply.json(), reply.headers.get("www-authenticate")];
    };
    const scope = 'Bearer realm="Restricted", error="insufficient_scope"';
    const forbidden = { error: "Forbidden", status: 403 };
    expect(await refused("authenticated", "anonymous")).toEqual([
      { error: "Unauthorized", status: 401, detail: "Authentication required", guard: "AuthenticatedGuard" },
      'Bearer realm="Restricted"',
    ]);
    expect(await refused("root or admin", "user")).toEqual([
      { ...forbidden, detail: "Requires one of roles: root, admin", guard: "RoleGuard(root, admin)" },
      null,
    ]);
    expect(await refused("root and admin", "admin's token")).toEqual([
      { ...forbidden, detail: "Missing required roles: root", guard: "RoleGuard(root, admin)" },
      scope,
    ]);
    expect(await refused("reads and deletes", "admin's token")).toEqual([
      {
        ...forbidden,
        detail: "Missing required permissions: delete",
        guard: "PermissionGuard(read, delete)",
      },
      scope,
    ]);
    expect(await refused("anonymous", "key")).toEqual([
      { ...forbidden, detail: "Access denied", guard: "Not(AuthenticatedGuard)" },
      null,
    ]);
  },
});

/** Returns the status for a user that the application set in the context. */
const statusFor = async (guard: Guard, context: Readonly<Record<string, unknown>>): Promise<number> => {
  const app = new App().use((request, next) => {
    for (const [name, value] of Object.entries(context)) request.context.set(name, value);
    return next(request);
  });
  app.get("/", { guards: [guard] }, () => "in");
  await using client = testClient(app, { log: { info() {}, warn() {}, error() {} } });
  return (await client.get("/")).status;
};

class Account {
  get roles(): string {
    return "admin,user";
  }
}

test.each<[string, Guard, Readonly<Record<string, unknown>>, number]>([
  ["roles as a list", new RoleGuard("a"), { user: { roles: ["b", "a"] } }, 200],
  ["roles with commas", new RoleGuard("a"), { user: { roles: "b,a" } }, 200],
  ["roles with spaces", new RoleGuard("a"), { user: { roles: " b \t a " } }, 200],
  ["a single role", new RoleGuard("a"), { user: { role: "a" } }, 200],
  ["roles of a class instance", new RoleGuard("admin"), { user: new Account() }, 200],
  ["roles under another name", new RoleGuard("a", { roleKey: "groups" }), { user: { groups: ["a"] } }, 200],
  ["substrings of the role", new RoleGuard("a"), { user: { roles: ["ab", "ba", "A"] } }, 403],
  ["roles that are not strings", new RoleGuard("1"), { user: { roles: [1, null, ["1"]] } }, 403],
  ["roles that are an object", new RoleGuard("a"), { user: { roles: { a: true } } }, 403],
  ["a list with a comma in it", new RoleGuard("a"), { user: { roles: ["b,a"] } }, 403],
  ["a role named like an inherited member", new RoleGuard("constructor"), { user: {} }, 403],
  [
    "a user under a configured key",
    new RoleGuard("a", { userKey: "account" }),
    { account: { roles: "a" } },
    200,
  ],
  [
    "a user under another key than the configured one",
    new RoleGuard("a", { userKey: "account" }),
    { user: { roles: "a" } },
    401,
  ],
  ["authentication by a custom key", new AuthenticatedGuard("account"), { account: 7 }, 200],
  ["no user", new AuthenticatedGuard(), { user: null }, 401],
  ["an empty user", new AuthenticatedGuard(), { user: "" }, 401],
  ["a user of false", new AuthenticatedGuard(), { user: false }, 401],
  [
    "roles of the token for a caller with a user name",
    new RoleGuard("a"),
    { user: "ann", jwt_claims: { roles: ["a"] } },
    200,
  ],
  ["permissions", new PermissionGuard("p"), { user: { permissions: ["p"] } }, 200],
  ["scope", new PermissionGuard("p"), { jwt_claims: { scope: "o p" } }, 200],
  ["scp", new PermissionGuard("p"), { jwt_claims: { scp: ["p"] } }, 200],
  ["permissions in two places", new PermissionGuard("p q"), { jwt_claims: { scp: ["p"], scope: "q" } }, 200],
  [
    "permissions under another name",
    new PermissionGuard("p", { permKey: "can" }),
    { user: { can: "p" } },
    200,
  ],
  ["roles do not count as permissions", new PermissionGuard("p"), { user: { roles: ["p"] } }, 403],
  [
    "resolve returns synchronously",
    new PermissionGuard("p", { resolve: () => "p" }),
    { api_key_name: "billing" },
    200,
  ],
  [
    "resolve finds nothing",
    new PermissionGuard("p", { resolve: () => null }),
    { api_key_name: "billing" },
    403,
  ],
  [
    "resolve returns a value of another type, and the guard is negated",
    Not(new RoleGuard("a", { resolve: () => new Set(["a"]) as never })),
    { user: "ann" },
    403,
  ],
  [
    "resolve returns a list of other values, and the guard is negated",
    Not(new RoleGuard("a", { resolve: () => [7] as never })),
    { user: "ann" },
    403,
  ],
  [
    "resolve rejects",
    new RoleGuard("a", { resolve: () => Promise.reject(new Error("away")) }),
    { user: "ann" },
    403,
  ],
])("%s", async (_name, guard, context, status) => {
  expect(await statusFor(guard, context)).toBe(status);
});

test.each([RoleGuard, PermissionGuard])(
  "a %p whose resolve never settles refuses after its timeout",
  async (guard) => {
    const clock = virtualClock();
    let resolveCalls = 0;
    const resolve = () => new Promise<string>(() => void resolveCalls++);
    const checking = statusFor(new guard("a", { resolve, timeoutMs: 1000, clock }), { user: "ann" });
    await waitFor(() => resolveCalls === 1);
    await clock.advance(1001);
    expect(await checking).toBe(403);
    expect(() => new guard("a", { timeoutMs: 0 })).toThrow(
      expect.objectContaining({ code: "CORE_BAD_CONFIG" }),
    );
  },
);

test("a guard without names throws in its constructor", () => {
  for (const make of [() => new RoleGuard([]), () => new PermissionGuard(" , "), () => new RoleGuard("")])
    expect(make).toThrow(expect.objectContaining({ code: "AUTH_GUARD_EMPTY" }));
});

test("a guard class instead of an instance is a start error", async () => {
  await expect(statusFor(AuthenticatedGuard as unknown as Guard, { user: "ann" })).rejects.toThrow(
    "a class needs new",
  );
});

test("Authenticated, Role and Permission are aliases of the guards", () => {
  expect([Authenticated, Role, Permission]).toEqual([AuthenticatedGuard, RoleGuard, PermissionGuard]);
});
