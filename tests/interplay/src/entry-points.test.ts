import { request as httpRequest } from "node:http";
import {
  anyOf,
  ApiKeyAuth,
  Authenticated,
  type Authentication,
  BasicAuth,
  JwtAuth,
  Permission,
  Role,
} from "@framework/auth";
import { And, App, type Guard, HttpError, type Invocation, Not, Or, verifyGuards } from "@framework/core";
import { virtualClock } from "@framework/core/testing";
import { type Authenticator, createInvocation, type Feature } from "@framework/core/feature";
import { command, cqrs, query } from "@framework/cqrs";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { field, graphql } from "@framework/graphql";
import { websocket } from "@framework/websocket";
import { expect, test } from "@jest/globals";
import { z } from "zod";

type Headers = Readonly<Record<string, string>>;

const log = { info() {}, warn() {}, error() {} };

/** An entry point defined outside core: topics with authentication and guards, and messages with headers. */
interface Mailbox {
  topic(name: string, auth: Authenticator | null, guards: readonly Guard[]): void;
  /** Delivers a message. Returns 200 if it was handled, otherwise the status of the error. */
  deliver(topic: string, headers: Headers): Promise<number>;
}
const mailbox: Feature<Mailbox> = {
  name: "mailbox",
  install(host) {
    const topics = new Map<string, { auth: Authenticator | null; guards: readonly Guard[] }>();
    return {
      topic(name, auth, guards) {
        topics.set(name, { auth, guards });
        if (auth !== null) host.life.install(auth);
      },
      async deliver(name, headers) {
        const { auth = null, guards = [] } = topics.get(name) ?? {};
        const invocation = createInvocation({ kind: "message", name, headers });
        try {
          await auth?.identify(invocation);
          await verifyGuards(guards, invocation, { log });
          return await host.state.invoke(invocation, undefined, () => 200);
        } catch (error) {
          return HttpError.is(error) ? error.status : 500;
        }
      },
    };
  },
};

const secret = "0123456789abcdef0123456789abcdef";
const jwt = new JwtAuth({ secret });
const basic = new BasicAuth((name, password) => name === "ann" && password === "p");
const keys = new ApiKeyAuth({ k: "billing" });
const authentications = {
  none: null,
  jwt,
  basic,
  keys,
  any: anyOf(jwt, basic, keys),
} satisfies Record<string, Authentication | null>;
type Auth = keyof typeof authentications;

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const password = (text: string): Headers => ({
  authorization: `Basic ${Buffer.from(text).toString("base64")}`,
});
const token = await jwt.createToken({ sub: "ann" });
const expired = new JwtAuth({ secret, expiration: 1 }, { clock: virtualClock({ start: 1_000_000_000_000 }) });
const otherSecret = new JwtAuth({ secret: `${secret}!` });

/** Credentials, and the authentications that accept them. */
const credentials = {
  nothing: [{}, []],
  token: [bearer(token), ["jwt", "any"]],
  "admin's token": [
    bearer(await jwt.createToken({ sub: "eve", roles: ["admin", "user"], scope: "read write" })),
    ["jwt", "any"],
  ],
  "expired token": [bearer(await expired.createToken({ sub: "ann" })), []],
  "token signed with another secret": [bearer(await otherSecret.createToken({ sub: "ann" })), []],
  "token with a mixed-case scheme": [{ AUTHORIZATION: `bEARER ${token}` }, ["jwt", "any"]],
  "token as a cookie": [{ cookie: `token=${token}` }, []],
  user: [password("ann:p"), ["basic", "any"]],
  "wrong password": [password("ann:q"), []],
  key: [{ "x-api-key": "k" }, ["keys", "any"]],
  "wrong key": [{ "x-api-key": "K" }, []],
} as const satisfies Readonly<Record<string, readonly [headers: Headers, acceptedBy: readonly Auth[]]>>;
type Credential = keyof typeof credentials;

const rolesOf = async (identity: unknown) =>
  identity === "ann" || identity === "billing" ? ["admin"] : "guest";

/** Guards, with the expected statuses for no credentials, a token, a token with the role admin, a password and an API key. */
const guards: Readonly<Record<string, readonly [guard: Guard, ...statuses: readonly number[]]>> = {
  authenticated: [new Authenticated(), 401, 200, 200, 200, 200],
  admin: [new Role("admin"), 401, 403, 200, 403, 403],
  "resolved admin": [new Role(["admin"], { resolve: rolesOf }), 401, 403, 200, 200, 200],
  "admin and user": [new Role(["admin", "user"], { requireAll: true }), 401, 403, 200, 403, 403],
  writes: [new Permission("write"), 401, 403, 200, 403, 403],
  "reads and deletes": [new Permission(["read", "delete"]), 401, 403, 403, 403, 403],
  "reads or deletes": [new Permission(["read", "delete"], { requireAll: false }), 401, 403, 200, 403, 403],
  "not authenticated": [Not(new Authenticated()), 200, 403, 403, 403, 403],
  "not admin": [Not(new Role("admin")), 401, 200, 403, 200, 200],
  "authenticated and admin": [And(new Authenticated(), new Role("admin")), 401, 403, 200, 403, 403],
  "admin or writes": [Or(new Role("admin"), new Permission("write")), 401, 403, 200, 403, 403],
  "a header, by a function": [({ headers }) => headers.get("x-tenant") !== null, 403, 403, 403, 403, 403],
  "a guard that fails": [() => Promise.reject(new Error("away")), 403, 403, 403, 403, 403],
};

/** Column of `guards` for accepted credentials. */
const column: Readonly<Partial<Record<Credential, number>>> = {
  token: 2,
  "token with a mixed-case scheme": 2,
  "admin's token": 3,
  user: 4,
  key: 5,
};

const combinations = Object.keys(authentications).flatMap((auth) =>
  Object.keys(guards).map((guard) => [auth as Auth, guard] as const),
);
const pathOf = (auth: Auth, guard: string): string => `/${auth}/${Object.keys(guards).indexOf(guard)}`;

const expectedStatus = (auth: Auth, guard: string, credential: Credential): number => {
  const accepted = (credentials[credential][1] as readonly Auth[]).includes(auth);
  if (auth !== "none" && !accepted) return 401;
  return Number(guards[guard]?.[accepted ? (column[credential] ?? 0) : 1]);
};

/** Defines a command and a query with a guard; the paths of their endpoints contain the name of the authentication, which selects it. */
const operationsOf = (auth: Auth, guardName: string, guard: Guard) => {
  const name = pathOf(auth, guardName).replaceAll("/", "_");
  const options = { input: z.object({}), output: z.string(), guards: [guard] };
  return {
    change: command(`Change${name}`, { ...options, http: { path: `/command${pathOf(auth, guardName)}` } }),
    read: query(`Read${name}`, { ...options, http: { path: `/query${pathOf(auth, guardName)}` } }),
  };
};

/** Defines a GraphQL field per combination, guarded by the authentication and the guard. */
const guardedFields = () => {
  const fields = combinations.map(([auth, name]) => {
    const authentication: Authenticator | null = authentications[auth];
    const identified: Guard = async (invocation) => {
      await authentication?.identify(invocation);
      return true;
    };
    const [guard = identified] = guards[name] ?? [];
    return [fieldOf(auth, name), field({ guards: [identified, guard] }, () => "in")] as const;
  });
  const schema = `type Query { ${fields.map(([name]) => `${name}: String`).join(" ")} }`;
  return { schema, resolvers: { Query: Object.fromEntries(fields) } };
};

const fieldOf = (auth: Auth, guard: string): string => pathOf(auth, guard).replaceAll("/", "_");

/** Returns 200 for a resolved field, otherwise the status of its error. */
const statusOfField = async (app: App, name: string, headers: Headers): Promise<number> => {
  const reply = await app.fetch(
    new Request("http://localhost/graphql", {
      method: "POST",
      headers: { ...headers, ...json },
      body: JSON.stringify({ query: `{ ${name} }` }),
    }),
  );
  const { errors = [] } = (await reply.json()) as {
    errors?: readonly { readonly extensions: { readonly status: number } }[];
  };
  return errors[0]?.extensions.status ?? reply.status;
};

const serve = async () => {
  const app = new (App.with(websocket, mailbox, database, durable, cqrs, graphql))()
    .enableGraphql(guardedFields())
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs();
  const executions = new Map<string, (from: Invocation) => Promise<unknown>>();
  for (const [name, auth] of Object.entries(authentications)) {
    if (auth === null) continue;
    app.use({
      install: (host) => auth.install(host),
      handle: (request, next) =>
        request.path.split("/").includes(name) ? auth.handle(request, next) : next(request),
    });
  }
  for (const [auth, name] of combinations) {
    const [guard] = guards[name] ?? [];
    if (guard === undefined) continue;
    app.get(pathOf(auth, name), { guards: [guard] }, () => "in");
    app.websocket(`/ws${pathOf(auth, name)}`, { guards: [guard] }, () => {});
    app.topic(pathOf(auth, name), authentications[auth], [guard]);
    const { change, read } = operationsOf(auth, name, guard);
    app.cqrs.handle(change, () => "in").handle(read, () => "in");
    executions.set(pathOf(auth, name), (from) => app.cqrs.execute(change, {}, { from }));
  }
  const service = await app.run({ port: 0, logs: false, log, argv: [], exitOnError: false });
  /** Executes a command from code, on behalf of a message with these headers. */
  const execute = async (auth: Auth, guard: string, headers: Headers): Promise<number> => {
    const from = createInvocation({ kind: "message", name: "inbox", headers });
    try {
      await authentications[auth]?.identify(from);
      await executions.get(pathOf(auth, guard))?.(from);
      return 200;
    } catch (error) {
      return HttpError.is(error) ? error.status : 500;
    }
  };
  return { app, service, execute };
};

const statusOver = (url: URL, headers: Headers, moreHeaders: Headers, method = "GET"): Promise<number> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers: { ...headers, ...moreHeaders }, agent: false });
    request.on("error", reject);
    request.on("response", (reply) => {
      reply.resume();
      resolve(reply.statusCode ?? 0);
    });
    request.on("upgrade", (_reply, socket) => {
      socket.destroy();
      resolve(200);
    });
    request.end(method === "POST" ? "{}" : undefined);
  });

const handshake: Headers = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
};

const json: Headers = { "content-type": "application/json" };

test("a caller gets the same status over HTTP, at a WebSocket upgrade, for a message, a command, a query and a GraphQL field", async () => {
  const { app, service, execute } = await serve();
  try {
    for (const [credential, [headers]] of Object.entries(credentials)) {
      for (const [auth, guard] of combinations) {
        const path = pathOf(auth, guard);
        const seen = await Promise.all([
          statusOver(new URL(path, service.url), headers, {}),
          statusOver(new URL(`/ws${path}`, service.url), headers, handshake),
          app.deliver(path, headers),
          statusOver(new URL(`/command${path}`, service.url), headers, json, "POST"),
          statusOver(new URL(`/query${path}`, service.url), headers, {}),
          execute(auth, guard, headers),
          statusOfField(app, fieldOf(auth, guard), headers),
        ]);
        const expected = expectedStatus(auth, guard, credential as Credential);
        expect([credential, auth, guard, seen]).toEqual([credential, auth, guard, seen.map(() => expected)]);
      }
    }
  } finally {
    await service.close();
  }
}, 120_000);
