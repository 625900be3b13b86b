import { App } from "@framework/core";
import type { Feature, SharedValues } from "@framework/core/feature";
import { inProcessState, virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { JwtAuth, type TokenPair } from "../index.ts";
import { tokenStoreContract, type TokenStoreFixture } from "../testing.ts";
import { claimsOf, invalidTokenError, secret } from "../tokens/token-app.test-kit.ts";
import { JoinedStores } from "./joined-stores.ts";

const log = { info() {}, warn() {}, error() {} };

/** Starts an app that requires a token; `values` are shared values such as those of Redis. */
const startApp = async (auth: JwtAuth, values?: SharedValues) => {
  const shared: Feature<object> = {
    name: "shared",
    install: (host) => {
      if (values !== undefined) host.state.provideShared({ values: () => values });
      return {};
    },
  };
  const app = new (App.with(shared))().use(auth);
  app.get("/", () => "in");
  await app.start({ log });
  const status = async ({ token }: TokenPair): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` };
    return (await app.fetch(new Request("http://localhost/", { headers }))).status;
  };
  return { status, stop: () => app.stop() };
};

/** Creates a connection to values that outlive the service; after `close` each call fails. */
const connection = (server: SharedValues) => {
  let isOpen = true;
  const open = (): SharedValues => {
    if (isOpen) return server;
    throw new Error("the connection is closed");
  };
  const values: SharedValues = {
    ...server,
    isPersistent: true,
    get: (key) => open().get(key),
    raise: (...call) => open().raise(...call),
    publish: (...call) => open().publish(...call),
  };
  return { values, close: () => void (isOpen = false) };
};

test("a revoked token stays revoked when another app with the same JwtAuth starts, and when the first stops", async () => {
  const auth = new JwtAuth({ secret });
  const first = await startApp(auth);
  const [revokedFirst, revokedLater, valid] = await Promise.all(
    ["a", "b", "c"].map((sub) => auth.createTokens({ sub })),
  );
  const all = [revokedFirst, revokedLater, valid] as TokenPair[];
  await auth.revokeToken(claimsOf(revokedFirst?.token ?? ""));
  const second = await startApp(auth);
  expect(await Promise.all(all.map(first.status))).toEqual([401, 200, 200]);
  await auth.revokeToken(claimsOf(revokedLater?.token ?? ""));
  for (const { status } of [first, second])
    expect(await Promise.all(all.map(status))).toEqual([401, 401, 200]);
  await first.stop();
  expect(await Promise.all(all.map(second.status))).toEqual([401, 401, 200]);
  await second.stop();
});

test("a refresh token that was used before another app started stays used", async () => {
  const auth = new JwtAuth({ secret });
  const first = await startApp(auth);
  const { refreshToken } = await auth.createTokens({ sub: "ann" });
  const next = await auth.refreshToken(refreshToken);
  const second = await startApp(auth);
  await first.stop();
  expect(await second.status(next)).toBe(200);
  await expect(auth.refreshToken(refreshToken)).rejects.toMatchObject(invalidTokenError);
  expect(await second.status(next)).toBe(401);
  await second.stop();
});

test.each<[string, (server: SharedValues) => ReturnType<typeof connection>, "first" | "second"]>([
  ["connections to one server", connection, "first"],
  ["connections to one server", connection, "second"],
  ["the same values", (values) => ({ values, close() {} }), "first"],
])(
  "apps with %s renew a token once, and keep working when one has stopped",
  async (_name, connect, leaving) => {
    const server = inProcessState().values;
    const auth = new JwtAuth({ secret });
    const start = async () => {
      const { values, close } = connect(server);
      const { status, stop } = await startApp(auth, values);
      return { status, stop: () => stop().then(close) };
    };
    const [first, second] = [await start(), await start()];
    const [stopped, other] = leaving === "first" ? [first, second] : [second, first];
    const login = await auth.createTokens({ sub: "ann" });
    const next = await auth.refreshToken(login.refreshToken);
    await stopped.stop();
    const last = await auth.refreshToken(next.refreshToken);
    expect(await other.status(last)).toBe(200);
    await expect(auth.refreshToken(next.refreshToken)).rejects.toMatchObject(invalidTokenError);
    await other.stop();
  },
);

test("an app that starts after all others have stopped uses its own store", async () => {
  const auth = new JwtAuth({ secret });
  const first = await startApp(auth);
  const pair = await auth.createTokens({ sub: "ann" });
  await auth.revokeToken(claimsOf(pair.token));
  await first.stop();
  expect(await auth.isRevoked(claimsOf(pair.token).jti ?? "")).toBe(true);
  const second = await startApp(auth);
  expect(await second.status(pair)).toBe(200);
  await second.stop();
});

test("with overlapping apps only the stores of the first and the running ones are used, and a revoked token stays revoked", async () => {
  const auth = new JwtAuth({ secret });
  const queried = new Set<number>();
  const start = (at: number) => {
    const { values } = inProcessState();
    const get: SharedValues["get"] = (key) => {
      queried.add(at);
      return values.get(key);
    };
    return startApp(auth, { ...values, get });
  };
  const revoked: TokenPair[] = [];
  const revoke = async () => {
    const pair = await auth.createTokens({ sub: "ann" });
    await auth.revokeToken(claimsOf(pair.token));
    revoked.push(pair);
  };
  let running = await start(0);
  for (let at = 1; at <= 5; at++) {
    await revoke();
    const next = await start(at);
    await revoke();
    await running.stop();
    running = next;
  }
  await revoke();
  queried.clear();
  expect(await running.status(await auth.createTokens({ sub: "ann" }))).toBe(200);
  expect([...queried]).toEqual([0, 5]);
  expect(await Promise.all(revoked.map(running.status))).toEqual(revoked.map(() => 401));
  await running.stop();
});

const makeJoinedStores = async (): Promise<TokenStoreFixture> => {
  const clock = virtualClock({ start: Date.parse("2026-01-01T00:00:00Z") });
  const { now, advance } = clock;
  const stores = new JoinedStores();
  const { values } = inProcessState({ clock });
  await stores.join(values, { clock });
  await stores.join(values, { clock });
  await stores.join(inProcessState({ clock }).values, { clock });
  return { views: [stores, stores], now, advance };
};
tokenStoreContract(test, makeJoinedStores);
