import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { App, type HttpRequest } from "@framework/core";
import { type Feature, type SharedState, User } from "@framework/core/feature";
import { panelContract, panelProbe } from "@framework/core/testing";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { rateLimit } from "./index.ts";
import { cluster, quiet } from "./limited-app.test-kit.ts";

/** Enables request tracing, as the dev page does; `listen` subscribes like an open page. */
const requestTracing: Feature = {
  name: "tracing",
  install: ({ insight }) => {
    insight.traceRequests();
    return {};
  },
};

const listen = (): void => {};
beforeEach(() => subscribe("framework.request.steps", listen));
afterEach(() => void unsubscribe("framework.request.steps", listen));

const key = (request: HttpRequest): string | null => request.getHeader("x-api-key");

const startLimitedApp = async (shared?: SharedState) => {
  const app = new (App.with(rateLimit, panelProbe, requestTracing))().enableRateLimit({
    maxRequests: 2,
    key,
  });
  app.get("/", () => "hello");
  app.post("/login", { rateLimit: { maxRequests: 1 } }, () => "welcome");
  const several = shared === undefined ? {} : { shared, workers: 2 };
  await app.start({ ...quiet, env: "development", debug: true, ...several });
  const send = async (path: string, headers = {}) => {
    const method = path === "/login" ? "POST" : "GET";
    return (await app.fetch(new Request(`http://localhost${path}`, { method, headers }))).status;
  };
  return { app, send, panel: app.panel("limits"), close: () => app.stop() };
};

panelContract(test, async () => {
  const fixture = await startLimitedApp();
  await fixture.send("/", { "x-api-key": "sesame" });
  return fixture;
});

test("the panel shows the allowed and refused requests of each limit, and its clients without their keys", async () => {
  const { send, panel, close } = await startLimitedApp();
  for (const path of ["/", "/login", "/login"]) await send(path);
  await send("/", { "x-api-key": "sesame" });
  expect((await panel.rows()).map(({ cells }) => cells)).toEqual([
    ["default", "token bucket", 2, 60, 2, 0, 2],
    ["POST /login", "token bucket", 1, 60, 1, 1, 1],
  ]);
  const clients = async (row: string) => (await panel.details?.(row))?.[0]?.rows.map(({ cells }) => cells);
  expect(await clients("default")).toEqual([
    [expect.stringMatching(/^name [\da-f]{8}$/), "name", 1, 0],
    [expect.any(String), "address", 1, 0],
  ]);
  expect(await clients("POST /login")).toEqual([[expect.any(String), "address", 0, 1]]);
  expect(JSON.stringify(await clients("default"))).not.toContain("sesame");
  await close();
});

test("a reset restores the quotas of a limit's clients, in every worker and in workers that start later", async () => {
  const { join } = cluster();
  const client = { "x-api-key": "client" };
  const [one, other] = [await startLimitedApp(join().shared), await startLimitedApp(join().shared)];
  expect([await one.send("/login"), await other.send("/login")]).toEqual([200, 429]);
  expect([await one.send("/login", client), await other.send("/login", client)]).toEqual([200, 429]);
  for (const n of [1, 2, 3]) await one.send(`/?${n}`);
  expect(await one.panel.act("reset", "POST /login")).toBe("The quota of every client is reset");
  expect([await other.send("/login"), await one.send("/login"), await one.send("/")]).toEqual([
    200, 429, 429,
  ]);
  const later = await startLimitedApp(join().shared);
  expect(await later.send("/login", client)).toBe(200);
  expect(await later.send("/login")).toBe(429); // all workers share one count
  for (const worker of [one, other, later]) await worker.close();
});

test("the panel shows a client by the key that was counted, not by a name that authentication sets later", async () => {
  const app = new (App.with(rateLimit, panelProbe, requestTracing))().enableRateLimit({
    key: ({ context }) => context.get(User),
  });
  app.use((request, next) => {
    request.context.set(User, "ann");
    return next(request);
  });
  app.get("/", () => "hello");
  await app.start({ ...quiet, env: "development", debug: true });
  await app.fetch(new Request("http://localhost/"));
  const [clients] = (await app.panel("limits").details?.("default")) ?? [];
  expect(clients?.rows.map(({ cells }) => cells[1])).toEqual(["address"]);
  await app.stop();
});

test("a request that is open during a reset keeps its client in the panel", async () => {
  const app = new (App.with(rateLimit, panelProbe, requestTracing))().enableRateLimit({ key });
  const [entered, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  app.get("/", async () => {
    entered.resolve();
    await released.promise;
    return "hello";
  });
  await app.start({ ...quiet, env: "development", debug: true });
  const panel = app.panel("limits");
  const reply = app.fetch(new Request("http://localhost/"));
  await entered.promise;
  await panel.act("reset", "default");
  released.resolve();
  await reply;
  expect((await panel.details?.("default"))?.[0]?.rows.map(({ cells }) => cells[1])).toEqual(["address"]);
  await app.stop();
});

test("without a listener no client is recorded, and at most 100 are kept", async () => {
  const { send, panel, close } = await startLimitedApp();
  unsubscribe("framework.request.steps", listen);
  await send("/", { "x-api-key": "unseen" });
  expect((await panel.rows())[0]?.cells.at(-1)).toBe(0);
  subscribe("framework.request.steps", listen);
  for (let n = 0; n < 110; n++) await send("/", { "x-api-key": `client ${n}` });
  expect((await panel.rows())[0]?.cells.at(-1)).toBe(100);
  await close();
});
