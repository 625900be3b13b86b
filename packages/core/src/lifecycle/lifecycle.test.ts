import { expect, test } from "@jest/globals";
import { App, type AppSettings, LimitsConfig, TimeoutConfig } from "../index.ts";
import type { DrainOptions, Feature } from "../feature.ts";
import type { Runnable } from "./runnable.ts";

const log = { info() {}, warn() {}, error() {} };

test("startup handlers run in order before the first reply, shutdown handlers in reverse, and async ones are awaited", async () => {
  const order: string[] = [];
  const step = (name: string) => async () => {
    await Promise.resolve();
    order.push(name);
  };
  const app = new App()
    .onEvent("startup", step("up 1"))
    .onEvent("startup", step("up 2"))
    .onEvent("shutdown", step("down 1"))
    .onEvent("shutdown", step("down 2"));
  app.get("/x", () => order.join());
  expect(await (await app.fetch(new Request("http://host.test/x"))).text()).toBe("up 1,up 2");
  await app.stop();
  await app.stop();
  expect(order).toEqual(["up 1", "up 2", "down 2", "down 1"]);
});

test("an environment other than development and production fails `start` and the first `fetch`; an empty variable counts as unset", async () => {
  const options = { env: "prod" as "production", log };
  await expect(new App().start(options)).rejects.toThrow(
    'env, or the variable FRAMEWORK_ENV, must be development or production, not "prod"',
  );
  const before = process.env["FRAMEWORK_ENV"];
  process.env["FRAMEWORK_ENV"] = "prod";
  try {
    await expect(new App().fetch(new Request("http://host.test/x"))).rejects.toThrow('not "prod"');
    process.env["FRAMEWORK_ENV"] = "";
    expect((await new App().fetch(new Request("http://host.test/x"))).status).toBe(404);
  } finally {
    if (before === undefined) delete process.env["FRAMEWORK_ENV"];
    else process.env["FRAMEWORK_ENV"] = before;
  }
});

test("a setting of `start` that is undefined has its default", async () => {
  const unset = { env: undefined, debug: undefined, logs: undefined, workers: undefined, shared: undefined };
  const app = new App();
  app.get("/fails", () => {
    throw new Error("shown while debug is on");
  });
  await app.start({ ...(unset as object), log });
  const { detail } = (await (await app.fetch(new Request("http://host.test/fails"))).json()) as {
    detail: string;
  };
  expect(detail).toBe("shown while debug is on");
  await app.shared.set("key", 1, { ttlMs: 1000 });
  expect(await app.shared.get("key")).toBe(1);
  await app.stop();
});

test("`start` rejects a shared state without its ports", async () => {
  for (const shared of [5, null, { values: {} }])
    await expect(new App().start({ shared, own: shared } as never)).rejects.toMatchObject({
      problems: ["shared", "own"].map((name) => ({
        code: "CORE_BAD_SETTING",
        message: expect.stringContaining(`${name} of start must be a shared state`),
      })),
    });
});

test("a field that is missing in the limits or timeouts of `start` has its default", async () => {
  const seen: AppSettings[] = [];
  const app = new App().onEvent("startup", (settings) => void seen.push(settings));
  const partial = { limits: { maxHeaderFields: 7, maxBodyBytes: undefined }, timeouts: { handlerSecs: 1 } };
  await app.start({ ...(partial as object), log });
  await app.stop();
  expect(seen[0]).toMatchObject({
    limits: LimitsConfig.of({ maxHeaderFields: 7 }),
    timeouts: TimeoutConfig.of({ handlerSecs: 1 }),
  });
});

test("an error of a subscriber of `app.shared` is logged by the logger of `start`", async () => {
  const errors: string[] = [];
  const app = new App();
  await app.start({ log: { ...log, error: (message) => void errors.push(message) } });
  app.shared.subscribe("news", () => {
    throw new Error("not today");
  });
  await app.shared.publish("news", 1);
  await app.stop();
  expect(errors).toEqual(['a subscriber of "app:news" failed']);
});

test("concurrent first requests start the app once", async () => {
  let starts = 0;
  const app = new App().onEvent("startup", () => void starts++);
  await Promise.all([1, 2, 3].map(() => app.fetch(new Request("http://host.test/x"))));
  expect(starts).toBe(1);
});

test("a failing startup handler stops the start, and the error names the handler", async () => {
  const app = new App()
    .onEvent("startup", function connect() {
      throw new Error("no database");
    })
    .onEvent("startup", () => {
      throw new Error("must not run");
    });
  await expect(app.start({ log })).rejects.toMatchObject({
    code: "CORE_START_TASK",
    message: 'startup task "connect" failed: no database',
  });
});

test("the error of an anonymous task of a feature says that it is anonymous", async () => {
  const broken: Feature<{ enableBroken(): unknown }> = {
    name: "broken",
    install: (host) => ({
      enableBroken: () =>
        host.life.onStart(() => {
          throw new Error("no database");
        }),
    }),
  };
  const app = new (App.with(broken))();
  app.enableBroken();
  await expect(app.start({ log })).rejects.toThrow('startup task "(anonymous)" failed: no database');
});

test("a startup task that exceeds its timeout fails the start", async () => {
  const slow: Feature<{ enableSlow(): unknown }> = {
    name: "slow",
    install: (host) => ({
      enableSlow: () =>
        host.life.onStart({ name: "slow", timeoutSecs: 0.01, run: () => new Promise(() => {}) }),
    }),
  };
  const app = new (App.with(slow))();
  app.enableSlow();
  await expect(app.start({ log })).rejects.toThrow('startup task "slow" failed: still running after 0.01 s');
});

test("`start` rejects a task with an invalid timeout, and `stop` rejects an invalid `timeoutSecs`", async () => {
  const endless: Feature<{ enableEndless(): unknown }> = {
    name: "endless",
    install: (host) => ({
      enableEndless: () => host.life.onStop({ name: "endless", timeoutSecs: Infinity, run() {} }),
    }),
  };
  const app = new (App.with(endless))();
  app.enableEndless();
  await expect(app.start({ log })).rejects.toThrow('timeoutSecs of the task "endless" must be above 0');

  const running = await new App().start({ log });
  for (const timeoutSecs of [Infinity, Number.NaN, -1])
    await expect(running.stop({ timeoutSecs })).rejects.toMatchObject({ code: "CORE_BAD_CONFIG" });
  expect((await running.fetch(new Request("http://host.test/x"))).status).toBe(404);
  await running.stop();
});

test("a failing shutdown handler is logged and the others run", async () => {
  const order: string[] = [];
  const errors: string[] = [];
  const app = new App()
    .onEvent("shutdown", () => void order.push("first added"))
    .onEvent("shutdown", function broken() {
      throw new Error("broken");
    });
  await app.start({ log: { ...log, error: (message) => void errors.push(message) } });
  await app.stop();
  expect(order).toEqual(["first added"]);
  expect(errors).toEqual(['shutdown task "broken" failed']);
});

test("snapshots that features publish are read on demand", async () => {
  let hits = 0;
  const counting: Feature<{ enableCounting(): unknown }> = {
    name: "counting",
    install: (host) => ({ enableCounting: () => host.insight.expose("counting", () => ({ hits })) }),
  };
  const app = new (App.with(counting))();
  app.enableCounting();
  hits = 3;
  expect(app.snapshot()).toEqual({ counting: { hits: 3 } });
});

test("a snapshot that throws is replaced by its error, and the others are returned", () => {
  const features: Feature = {
    name: "features",
    install: (host) => {
      host.insight.expose("failing", () => {
        throw new Error("pool is closed");
      });
      host.insight.expose("counting", () => ({ hits: 3 }));
      return {};
    },
  };
  const app = new (App.with(features))();
  expect(app.snapshot()).toEqual({ failing: { error: "pool is closed" }, counting: { hits: 3 } });
});

const reportOf = (app: App) =>
  (app as unknown as { kernel: { runnable: Runnable } }).kernel.runnable.report();

test("a report asks for a readiness delay only if probes report the drain", () => {
  const draining = (name: string, options?: DrainOptions): Feature => ({
    name,
    install: (host) => {
      host.life.onDrain(() => {}, options);
      return {};
    },
  });
  const quiet = draining("quiet");
  const apps = [
    new App(),
    new (App.with(quiet))(),
    new (App.with(quiet, draining("probed", { probed: true })))(),
  ];
  expect(apps.map((app) => reportOf(app).needsReadinessDelay)).toEqual([false, false, true]);
});

test("a report lists the pages that features register", () => {
  const documented: Feature = {
    name: "documented",
    install: (host) => {
      host.insight.link("docs", "/docs").link("graph", "/graphql");
      return {};
    },
  };
  expect([new App(), new (App.with(documented))()].map((app) => reportOf(app).links)).toEqual([
    [],
    [
      { name: "docs", path: "/docs" },
      { name: "graph", path: "/graphql" },
    ],
  ]);
});

test.each([
  [{ limits: { maxBodyByte: 10 } }, 'LimitsConfig has no field "maxBodyByte"; did you mean "maxBodyBytes"?'],
  [
    { limits: { maxBodyBytes: Number.NaN } },
    "LimitsConfig.maxBodyBytes must be a whole number of at least 0",
  ],
  [{ timeouts: { handlerSecs: "1" } }, "TimeoutConfig.handlerSecs must be a number from 0 to 86400"],
])("`start` rejects the settings %j", async (settings, message) => {
  await expect(new App().start(settings as never)).rejects.toThrow(`CORE_BAD_CONFIG: ${message}`);
});
