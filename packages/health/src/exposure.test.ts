// oxlint-disable jest/no-standalone-expect -- the facts run inside the tests that eachClient registers
import { hostname } from "node:os";
import { App, type ConfigurationError, ForbiddenError } from "@framework/core";
import { eachClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { HealthCheckConfig, healthChecks } from "./index.ts";
import { probedApp } from "./probed-app.test-kit.ts";

const canary = "postgres://admin:hunter2@10.0.0.5";
const fails = () => {
  throw new Error(canary);
};
const leaks = () => ({ url: canary });

test.each([
  ["development", undefined, true],
  ["production", undefined, false],
  ["production", true, true],
  ["production", false, false],
  ["development", false, false],
] as const)(
  "in %s with includeDetails %p the report has messages and details: %p",
  async (env, includeDetails, shown) => {
    const { app, probe } = probedApp({ includeDetails }, { env });
    app.healthCheck("down", fails);
    app.healthCheck("up", leaks);
    for (const path of ["/health/live", "/health/ready", "/health/startup", "/health"]) {
      const { body } = await probe(path);
      expect([path, JSON.stringify(body).split(canary).length - 1]).toEqual([
        path,
        shown && path === "/health" ? 2 : 0,
      ]);
    }
    const { components } = (await probe("/health")).body;
    expect(components === undefined).toBe(includeDetails === false);
  },
);

test("in production a failed check is reported as failed, without its error message", async () => {
  const { app, probe } = probedApp({}, { env: "production" });
  app.healthCheck("down", fails);
  const { components } = (await probe("/health")).body as { components: Record<string, object> };
  expect(components["down"]).toMatchObject({ status: "unhealthy", message: "failed" });
});

test("the report includes the machine only with includeSystemInfo", async () => {
  expect((await probedApp().probe("/health")).body).not.toHaveProperty("system");
  const { clock, probe } = probedApp({ includeSystemInfo: true });
  await probe("/health");
  await clock.advance(5000);
  const { system } = (await probe("/health")).body as { system: Record<string, unknown> };
  expect(Object.keys(system).sort()).toEqual([
    "cpu_usage_percent",
    "hostname",
    "memory_mb",
    "memory_total_mb",
    "memory_usage_percent",
    "memory_used_mb",
    "uptime_seconds",
  ]);
  expect(system["hostname"]).toBe(hostname());
  for (const name of ["cpu_usage_percent", "memory_usage_percent"]) {
    expect(system[name]).toBeGreaterThanOrEqual(0);
    expect(system[name]).toBeLessThanOrEqual(100);
  }
  expect(system["memory_mb"]).toBeGreaterThan(10);
});

test.each([
  [
    "a cycle",
    (() => {
      const cycle: Record<string, unknown> = {};
      cycle["self"] = cycle;
      return cycle;
    })(),
    "the details are not serialisable as JSON",
  ],
  ["a bigint", { rows: 1n }, "the details are not serialisable as JSON"],
  ["more than 8 KiB", { rows: "x".repeat(10_000) }, "the details have more than 8192 characters"],
])("details with %s are replaced by a note", async (_, details, note) => {
  const { app, probe } = probedApp();
  app.healthCheck("odd", () => details);
  const { status, body } = await probe("/health");
  expect([status, body["components"]]).toMatchObject([
    200,
    { odd: { status: "healthy", details: { note } } },
  ]);
});

test("error messages are truncated to 500 characters, and any thrown value is a failure", async () => {
  const { app, probe } = probedApp();
  app.healthCheck("long", () => {
    throw new Error("x".repeat(10_000));
  });
  app.healthCheck("odd", () => {
    throw null;
  });
  const { components } = (await probe("/health")).body as { components: Record<string, { message: string }> };
  expect([components["long"]?.message.length, components["odd"]?.message]).toEqual([501, "failed"]);
});

const guardedApp = () => {
  const app = new (App.with(healthChecks))();
  app.enableHealthChecks({
    guards: [
      (request) => {
        if (request.getHeader("x-probe") !== "yes") throw new ForbiddenError("probes only");
      },
    ],
  });
  return app.addGuard(() => false);
};

eachClient(test, guardedApp, {
  "guards of the configuration apply to every endpoint, guards of the app to none": async (client) => {
    for (const path of ["", "/live", "/liveness", "/ready", "/readiness", "/startup"]) {
      const denied = await client.get(`/health${path}`);
      const passed = await client.get(`/health${path}`, { headers: { "x-probe": "yes" } });
      expect([path, denied.status, passed.status]).toEqual([path, 403, 200]);
    }
  },
  "an app without its own routes answers GET and HEAD, and forbids caching": async (client) => {
    for (const path of ["", "/live", "/ready", "/startup"]) {
      const headers = { "x-probe": "yes" };
      const [get, head] = [
        await client.get(`/health${path}`, { headers }),
        await client.head(`/health${path}`, { headers }),
      ];
      expect([get.status, get.headers.get("cache-control")]).toEqual([200, "no-store"]);
      expect([head.status, head.headers.get("cache-control"), head.text]).toEqual([200, "no-store", ""]);
      expect(head.headers.get("content-type")).toBe("application/json");
      expect((await client.post(`/health${path}`, { headers })).status).toBe(405);
    }
  },
});

test("every endpoint is exempt from guards of the app, limits and telemetry", () => {
  const { routes } = guardedApp();
  expect(routes).not.toEqual([]);
  expect(routes.map(({ exempt }) => exempt)).toEqual(routes.map(() => ["guards", "limits", "telemetry"]));
});

test("the endpoints are below basePath", async () => {
  const { probe } = probedApp({ basePath: "/internal/status" });
  expect((await probe("/internal/status/ready")).status).toBe(200);
  expect((await probe("/internal/status")).status).toBe(200);
  expect((await probe("/health")).status).toBe(404);
});

test("the presets have the documented values, and accept changes", () => {
  expect(HealthCheckConfig.kubernetes()).toEqual({
    ...HealthCheckConfig.of(),
    includeDetails: false,
    cacheSecs: 5,
  });
  expect(HealthCheckConfig.detailed({ timeoutSecs: 3 })).toEqual({
    ...HealthCheckConfig.of(),
    includeDetails: true,
    includeSystemInfo: true,
    timeoutSecs: 3,
  });
  const absent = { includeDetails: undefined, cacheSecs: undefined };
  expect(HealthCheckConfig.kubernetes(absent)).toEqual(HealthCheckConfig.kubernetes());
});

test("all problems are reported together, at start", async () => {
  const app = new (App.with(healthChecks))();
  app.healthCheck("early", () => {});
  app.enableHealthChecks({ basePath: "/health/", timeoutSecs: 0, guards: ["x" as never] });
  app.healthCheck("twice", () => {}).healthCheck("twice", () => {});
  app.healthCheck("bad name", { groups: ["alive" as never] }, () => {});
  app.healthCheck("in no probe", { groups: [] }, () => {});
  app.healthCheck("nothing", {}, undefined as never);
  for (let index = 0; index < 60; index++) app.healthCheck(`check-${index}`, () => {});
  const error: unknown = await app.start().catch((thrown: unknown) => thrown);
  const { problems } = error as ConfigurationError;
  expect(problems.map(({ code, message }) => `${code} ${message}`).slice(0, 10)).toEqual([
    'HEALTH_NOT_ENABLED health: call enableHealthChecks before healthCheck("early"); without it no check runs',
    expect.stringContaining("CORE_BAD_CONFIG HealthCheckConfig.basePath must be a path"),
    expect.stringContaining("CORE_BAD_CONFIG HealthCheckConfig.timeoutSecs must be a number"),
    expect.stringContaining("CORE_BAD_CONFIG HealthCheckConfig.guards must be a list"),
    expect.stringContaining('CORE_BAD_HEALTH_CHECK there is a health check "twice" already'),
    expect.stringContaining("CORE_BAD_CONFIG HealthCheckOptions.groups"),
    expect.stringContaining("CORE_BAD_HEALTH_CHECK the name of a health check"),
    expect.stringContaining(
      "HealthCheckOptions.groups must be a list of live, ready and startup, with at least one",
    ),
    expect.stringContaining("CORE_BAD_HEALTH_CHECK the name of a health check"),
    expect.stringContaining('CORE_BAD_HEALTH_CHECK the health check "nothing" needs a function'),
  ]);
  expect(problems.at(-1)?.message).toBe("an app may have at most 50 health checks");
});
