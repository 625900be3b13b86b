import { once } from "node:events";
import { anyOf, AuthenticatedGuard, JwtAuth, JwtClaims, RoleGuard } from "@framework/auth";
import { App, type HttpRequest, UnauthorizedError } from "@framework/core";
import { type Claims, createInvocation } from "@framework/core/feature";
import { virtualClock } from "@framework/core/testing";
import { field, graphql } from "@framework/graphql";
import { rateLimit } from "@framework/rate-limit";
import { sessionOf, sessions } from "@framework/sessions";
import { websocket } from "@framework/websocket";
import { afterEach, expect, test } from "@jest/globals";
import { WebSocket } from "ws";

const log = { info() {}, warn() {}, error() {} };
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

const schema = "type Query { public: String secret: String }";
const resolvers = {
  Query: {
    public: () => "for all",
    secret: field({ guards: [new AuthenticatedGuard()] }, () => "for callers"),
  },
};

interface Message {
  readonly id?: string;
  readonly type: string;
  readonly payload?: unknown;
}

/** Runs one operation; returns its data, or the status of its first error. */
type Operate = (query: string) => Promise<unknown>;

const serve = async (app: App) => {
  const running = await app.run({ port: 0, logs: false, log, argv: [], exitOnError: false, debug: false });
  cleanups.push(() => running.close());
  return {
    url: running.url,
    /** Opens a connection of graphql-transport-ws. */
    async open(headers: Record<string, string> = {}, payload: object = {}): Promise<Operate> {
      const url = new URL("/graphql", running.url.replace("http", "ws"));
      const client = new WebSocket(url, ["graphql-transport-ws"], { headers });
      cleanups.push(() => client.terminate());
      const waiting = new Map<string, (payload: unknown) => void>();
      const ready = Promise.withResolvers<void>();
      client.on("message", (data: Buffer) => {
        const { id = "", type, payload: reply } = JSON.parse(data.toString()) as Message;
        if (type === "connection_ack") ready.resolve();
        waiting.get(id)?.(reply);
        waiting.delete(id);
      });
      await once(client, "open");
      client.send(JSON.stringify({ type: "connection_init", payload }));
      await ready.promise;
      let last = 0;
      return async (query) => {
        const id = String(++last);
        const reply = new Promise((resolve) => waiting.set(id, resolve));
        client.send(JSON.stringify({ id, type: "subscribe", payload: { query } }));
        const result = (await reply) as object;
        const errors = (Array.isArray(result) ? result : (result as { errors?: unknown[] }).errors) as
          | readonly { readonly extensions: { readonly status: number } }[]
          | undefined;
        return errors?.[0]?.extensions.status ?? (result as { data: unknown }).data;
      };
    },
  };
};

/** Reads the claims of a token, to revoke it. */
const claimsOf = (token: string): Claims =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Claims;

const login = async (url: string): Promise<{ readonly cookie: string }> => {
  const reply = await fetch(new URL("/login", url), { method: "POST" });
  return { cookie: reply.headers.get("set-cookie")?.split(";")[0] ?? "" };
};

const withLogin = <T extends App>(app: T): T => {
  app.post("/login", async (request) => {
    await sessionOf(request).login("ann");
    return "in";
  });
  return app;
};

test("an operation over a socket has no caller after destroyAll has ended the caller's session", async () => {
  const app = withLogin(new (App.with(websocket, sessions, graphql))().enableSessions());
  const { url, open } = await serve(app.enableGraphql({ schema, resolvers }));
  const ann = await open(await login(url));
  expect(await ann("{ secret }")).toEqual({ secret: "for callers" });
  await app.sessions.destroyAll("ann");
  expect([await ann("{ secret }"), await ann("{ public }")]).toEqual([401, { public: "for all" }]);
});

test("with authentication, no operation runs after its session ended or its token was revoked or expired", async () => {
  const clock = virtualClock();
  const jwt = new JwtAuth({ secret: "s".repeat(32), expiration: 60 }, { clock });
  const app = withLogin(new (App.with(websocket, sessions, graphql))().enableSessions());
  app.use(anyOf(app.sessions.auth, jwt).skipPath("/login")).enableGraphql({ schema, resolvers });
  const { url, open } = await serve(app);
  const [bobToken, eveToken] = [await jwt.createToken({ sub: "bob" }), await jwt.createToken({ sub: "eve" })];
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const ann = await open(await login(url));
  const [bob, eve] = [await open(bearer(bobToken)), await open(bearer(eveToken))];
  const runAll = async () => [await ann("{ public }"), await bob("{ secret }"), await eve("{ secret }")];
  const secret = { secret: "for callers" };
  expect(await runAll()).toEqual([{ public: "for all" }, secret, secret]);
  await app.sessions.destroyAll("ann");
  await jwt.revokeToken(claimsOf(bobToken));
  expect(await runAll()).toEqual([401, 401, secret]);
  await clock.advance(120_000);
  expect(await runAll()).toEqual([401, 401, 401]);
});

test("a token of connection_init is checked again for each operation", async () => {
  const jwt = new JwtAuth({ secret: "s".repeat(32) });
  const connect = async (
    { token }: Readonly<Record<string, unknown>>,
    { context }: HttpRequest,
  ): Promise<void> => {
    if (typeof token !== "string") throw new UnauthorizedError();
    const headers = { authorization: `Bearer ${token}` };
    await jwt.identify(createInvocation({ kind: "graphql", name: "connect", headers, context }));
  };
  const app = new (App.with(websocket, graphql))().enableGraphql({ schema, resolvers, connect });
  app.use(jwt.skipPath("/graphql"));
  const { open } = await serve(app);
  const token = await jwt.createToken({ sub: "bob" });
  const bob = await open({}, { token });
  expect(await bob("{ secret }")).toEqual({ secret: "for callers" });
  await jwt.revokeToken(claimsOf(token));
  expect(await bob("{ secret }")).toBe(401);
});

test("guards of the app and of the endpoint run for each operation of a socket", async () => {
  const roles = new Set(["admin"]);
  let isOpen = true;
  const jwt = new JwtAuth({ secret: "s".repeat(32) });
  const app = new (App.with(websocket, graphql))().use(jwt).addGuard(() => isOpen || "Closed for today");
  app.enableGraphql({ schema, resolvers, guards: [new RoleGuard("admin", { resolve: () => [...roles] })] });
  const { open } = await serve(app);
  const bob = await open({ authorization: `Bearer ${await jwt.createToken({ sub: "bob" })}` });
  const seen = [await bob("{ secret }")];
  roles.clear();
  seen.push(await bob("{ secret }"));
  roles.add("admin");
  isOpen = false;
  seen.push(await bob("{ secret }"));
  expect(seen).toEqual([{ secret: "for callers" }, 403, 403]);
});

test("operations of a socket count toward its client's rate limit, with the options key and exemptPaths", async () => {
  const resultsWith = async (exemptPaths: readonly string[]) => {
    const app = new (App.with(websocket, rateLimit, graphql))().enableGraphql({ schema, resolvers });
    const key = (request: HttpRequest) => request.headers.get("x-tenant");
    app.enableRateLimit({ algorithm: "sliding_window", maxRequests: 3, key, exemptPaths });
    const { open } = await serve(app);
    const [ann, bob] = [await open({ "x-tenant": "ann" }), await open({ "x-tenant": "bob" })];
    const statuses: unknown[] = [];
    for (let at = 0; at < 3; at++) statuses.push(await ann("{ public }"));
    return [...statuses, await bob("{ public }")];
  };
  const data = { public: "for all" };
  expect(await resultsWith([])).toEqual([data, data, 429, data]);
  expect(await resultsWith(["/graphql"])).toEqual([data, data, data, data]);
});

test("an error of the authentication rejects the operation and keeps the connection open", async () => {
  let isDown = false;
  const store = {
    revoke: async () => {},
    consume: async () => true,
    isRevoked: async () => {
      if (isDown) throw new Error("down");
      return false;
    },
  };
  const jwt = new JwtAuth({ secret: "s".repeat(32), store });
  const app = new (App.with(websocket, graphql))().use(jwt).enableGraphql({
    schema,
    resolvers: {
      Query: { public: (_: unknown, __: object, { request }) => request.context.get(JwtClaims)?.sub },
    },
  });
  const { open } = await serve(app);
  const bob = await open({ authorization: `Bearer ${await jwt.createToken({ sub: "bob" })}` });
  isDown = true;
  const failed = await bob("{ public }");
  isDown = false;
  expect([failed, await bob("{ public }")]).toEqual([503, { public: "bob" }]);
});
