import { App, TimeoutConfig } from "@framework/core";
import type { HealthGroup } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import type { VirtualClock } from "@framework/testing";
import { healthChecks } from "./index.ts";
import { probedApp, testClock } from "./probed-app.test-kit.ts";

/** Checks by the behaviour of their dependency. */
const states = {
  up: () => () => {},
  slow: (clock: VirtualClock) => () => clock.sleep(500),
  down: () => async () => {
    await Promise.resolve();
    throw new Error("refused");
  },
  hung: () => () => new Promise<void>(() => {}),
  throws: () => () => {
    throw new Error("thrown");
  },
} as const;

type State = keyof typeof states;

/** Endpoints that fail with a check of a group, besides the report. */
const affected: Readonly<Record<HealthGroup, readonly string[]>> = {
  live: ["/health/live", "/health"],
  ready: ["/health/ready", "/health"],
  startup: ["/health/ready", "/health/startup", "/health"],
};
const failureStatus: Readonly<Record<HealthGroup, string>> = {
  live: "error",
  ready: "unavailable",
  startup: "starting",
};
const endpoints = ["/health/live", "/health/ready", "/health/startup", "/health"];

const rows = (["ready", "live", "startup"] as const).flatMap((group) =>
  (Object.keys(states) as State[]).flatMap((state) => endpoints.map((path) => [state, group, path] as const)),
);

test.each(rows)("a check (%s) of the group %s affects only its endpoints: %s", async (state, group, path) => {
  const { app, clock, probe } = probedApp();
  app.healthCheck("dependency", { groups: [group] }, states[state](clock));
  const { status, body, tookMs } = await probe(path);
  const isAffected = affected[group].includes(path);
  const isGood = state === "up" || state === "slow" || !isAffected;
  const word = path === "/health" ? (isGood ? "healthy" : "unhealthy") : isGood ? "ok" : failureStatus[group];
  expect([status, body["status"]]).toEqual([isGood ? 200 : 503, word]);
  expect(tookMs).toBe(!isAffected ? 0 : { up: 0, slow: 500, down: 0, hung: 1000, throws: 0 }[state]);
});

test.each([
  ["/health/ready", 200, "ok"],
  ["/health/live", 200, "ok"],
  ["/health", 200, "degraded"],
])("a failed non-critical check only degrades the report: %s", async (path, status, word) => {
  const { app, probe } = probedApp();
  app.healthCheck("search", { groups: ["ready", "live"], critical: false }, states.down());
  const seen = await probe(path);
  expect([seen.status, seen.body["status"]]).toEqual([status, word]);
});

test.each([
  ["/health/live", 0],
  ["/health/ready", 0],
  ["/health/startup", 0],
  ["/health", 1000],
])("only the report waits for a non-critical check: %s", async (path, ms) => {
  const { app, clock, probe, logged } = probedApp();
  let runs = 0;
  app.healthCheck("search", { groups: ["ready", "live", "startup"], critical: false }, async () => {
    runs++;
    await clock.sleep(1500);
    throw new Error("refused");
  });
  expect(await probe(path)).toMatchObject({ status: 200, tookMs: ms });
  expect(runs).toBe(1);
  await clock.advance(1500);
  expect(logged).toEqual(['health check "search" failed']);
});

test("the reply bodies have the documented members", async () => {
  const { app, clock, probe } = probedApp({ version: "1.2.3" });
  app.healthCheck("store", async () => {
    await clock.sleep(250);
    return { rows: 3 };
  });
  app.healthCheck("search", { critical: false }, () => {
    throw new Error("refused");
  });
  const timestamp = "2026-01-01T00:00:00.000Z";
  expect((await probe("/health/live")).body).toEqual({ status: "ok", timestamp });
  const later = "2026-01-01T00:00:00.250Z";
  expect((await probe("/health/ready")).body).toEqual({ status: "ok", ready: true, timestamp: later });
  expect((await probe("/health/startup")).body).toEqual({ status: "ok", ready: true, timestamp: later });
  const end = "2026-01-01T00:00:00.500Z";
  expect((await probe("/health")).body).toEqual({
    status: "degraded",
    timestamp: end,
    version: "1.2.3",
    uptime_seconds: 0.5,
    checks: { liveness: "ok", readiness: "ok", startup: "ok" },
    components: {
      store: { name: "store", status: "healthy", details: { rows: 3 }, duration_ms: 250, timestamp: end },
      search: { name: "search", status: "degraded", message: "refused", duration_ms: 0, timestamp: later },
    },
  });
});

test("readiness requires startup, which stays ok once it has passed", async () => {
  const { app, probe } = probedApp();
  let migrated = false;
  app.healthCheck("migrations", { groups: ["startup"] }, () => {
    if (!migrated) throw new Error("not yet");
  });
  expect((await probe("/health/ready")).body["status"]).toBe("starting");
  expect((await probe("/health/live")).status).toBe(200);
  migrated = true;
  expect((await probe("/health/ready")).body["status"]).toBe("ok");
  migrated = false;
  expect((await probe("/health/startup")).status).toBe(200);
  expect((await probe("/health")).body).toMatchObject({ status: "degraded", checks: { startup: "ok" } });
});

test("checks of features count like checks of the app", async () => {
  const database = {
    name: "database",
    run: () => {
      throw new Error("away");
    },
  };
  const { probe } = probedApp({}, { checks: [database] });
  expect((await probe("/health/ready")).body["status"]).toBe("unavailable");
  expect((await probe("/health/live")).status).toBe(200);
});

test("the reply of a probe that takes longer than handlerSecs has the result of its checks", async () => {
  const app = new (App.with(healthChecks))().enableHealthChecks({ clock: testClock() });
  const store = Promise.withResolvers<void>();
  app.healthCheck("store", { groups: ["live", "ready", "startup"] }, () => store.promise);
  app.get("/slow", () => store.promise);
  await app.start({
    timeouts: TimeoutConfig.of({ handlerSecs: 0.01 }),
    log: { info() {}, warn() {}, error() {} },
  });
  const statusOf = async (path: string) => (await app.fetch(new Request(`http://localhost${path}`))).status;
  const probes = endpoints.map(statusOf);
  expect(await statusOf("/slow")).toBe(504);
  store.resolve();
  expect(await Promise.all(probes)).toEqual([200, 200, 200, 200]);
});
