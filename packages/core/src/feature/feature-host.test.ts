import { expect, test } from "@jest/globals";
import { App, Blueprint, type HttpMiddlewareObject } from "../index.ts";
import type { Feature } from "../feature.ts";

interface Probing {
  enableProbing(): this;
}
const probing: Feature<Probing> = {
  name: "probing",
  install: (host) => ({
    enableProbing() {
      host.http.route("GET", "/live", () => host.insight.healthChecks().map(({ name }) => name), {
        exempt: ["guards", "limits", "telemetry"],
      });
      host.http.route("GET", "/metrics", () => host.insight.metrics().map((metric) => metric.read()), {
        exempt: ["guards"],
      });
      host.http.route("GET", "/pages", ({ endpoint }) => endpoint?.exempt, { exempt: ["limits"] });
      host.http.route("GET", "/count", () => host.state.shared.values.add("n", 1, { ttlMs: 1000 }));
      host.insight.metric({ name: "probes_total", help: "Probes", type: "counter", read: () => 3 });
      host.insight.healthCheck({ name: "store", run: () => {} });
      return this;
    },
  }),
};

test("a feature's health checks, metrics and shared state are available after start, and its routes list their exemptions", async () => {
  const app = new (App.with(probing))().enableProbing();
  const json = async (path: string) => (await app.fetch(new Request(`http://host.test${path}`))).json();
  expect([await json("/live"), await json("/metrics"), await json("/count")]).toEqual([
    ["store"],
    [3],
    { value: 1, granted: 1, expiresInMs: expect.any(Number) },
  ]);
  app.routes.forEach((route) => expect(route).toMatchObject({ addedBy: "probing" }));
  expect(app.routes.map(({ exempt }) => exempt)).toEqual([
    ["guards", "limits", "telemetry"],
    ["guards"],
    ["limits"],
    [],
  ]);
});

test("all features and start tasks use a provided state, the workers' own state remains available, and two providers are an error", async () => {
  const providing: Feature<{ enableProviding(): unknown }> = {
    name: "providing",
    install: (host) => ({
      enableProviding() {
        host.state.provideShared({
          values: (builtIn) => ({ ...builtIn, get: (key) => `${key} from elsewhere` }),
        });
        return this;
      },
    }),
  };
  const seen: unknown[] = [];
  const observing: Feature = {
    name: "observing",
    install: (host) => {
      host.life.onStart(async ({ shared, own }) => {
        seen.push(await host.state.shared.values.get("a"), await shared.values.get("b"));
        seen.push(await own?.values.get("c"), shared.totals === own?.totals);
      });
      return {};
    },
  };
  const app = new (App.with(observing, providing))();
  app.enableProviding();
  await app.start();
  expect(seen).toEqual(["a from elsewhere", "b from elsewhere", undefined, true]);
  const other: Feature = {
    name: "other",
    install: (host) => {
      host.state.provideShared({ values: (builtIn) => builtIn });
      return {};
    },
  };
  const conflicting = new (App.with(other, providing))();
  conflicting.enableProviding();
  await expect(conflicting.start()).rejects.toThrow("two features provide shared values");
});

test("a route that a feature adds for the program counts as a route of the program", async () => {
  const tasks: Feature<{ addTasks(): unknown }> = {
    name: "tasks",
    install: (host) => ({
      addTasks: () =>
        host.http
          .route("POST", "/tasks", () => "done", { isProgramRoute: true })
          .route("GET", "/admin", () => "all"),
    }),
  };
  const app = new (App.with(tasks))();
  app.addTasks();
  await app.start();
  expect(app.routes.map(({ path, addedBy, options }) => [path, addedBy, options])).toEqual([
    ["/tasks", null, {}],
    ["/admin", "tasks", {}],
  ]);
  await app.stop();
});

test("middleware of a feature's route wraps only that route, in the order given, and is installed", async () => {
  const seen: string[] = [];
  const recording = (name: string): HttpMiddlewareObject => ({
    install: () => void seen.push(`${name} installed`),
    handle: (_request, next) => {
      seen.push(name);
      return next(_request);
    },
  });
  const tasks: Feature<{ addTasks(): unknown }> = {
    name: "tasks",
    install: (host) => ({
      addTasks: () =>
        host.http
          .route("POST", "/tasks", () => "done", { use: [recording("outer"), recording("inner")] })
          .route("GET", "/tasks", () => "all"),
    }),
  };
  const app = new (App.with(tasks))();
  app.addTasks();
  await app.fetch(new Request("http://localhost/tasks"));
  expect(seen).toEqual(["outer installed", "inner installed"]);
  await app.fetch(new Request("http://localhost/tasks", { method: "POST" }));
  expect(seen.slice(2)).toEqual(["outer", "inner"]);
  await app.stop();
});

test("a feature's check runs at start, when everything is registered, and its mistakes are reported with all others", async () => {
  const naming: Feature<{ addName(name: string): void }> = {
    name: "naming",
    install: (host) => {
      const names: string[] = [];
      host.check(() => names.map((name) => ({ code: "NAMING_BAD", message: `${name} is not a name` })));
      return { addName: (name) => void names.push(name) };
    },
  };
  const app = new (App.with(naming))();
  app.get("bad", () => 1);
  app.addName("7");
  const failure = app.start();
  await expect(failure).rejects.toThrow("NAMING_BAD: 7 is not a name");
  await expect(failure).rejects.toThrow("CORE_ROUTE_BAD_PATTERN");
});

test("the app's guards skip only routes that are exempt from guards", async () => {
  const app = new (App.with(probing))().enableProbing().addGuard(() => false);
  app.get("/own", () => 1);
  const statuses = ["/live", "/metrics", "/pages", "/count", "/own"].map(
    async (path) => (await app.fetch(new Request(`http://host.test${path}`))).status,
  );
  expect(await Promise.all(statuses)).toEqual([200, 200, 403, 403, 403]);
});

test("a feature can read the enable methods that were called and all guards of a route", async () => {
  let seen: readonly unknown[] = [];
  const observing: Feature<{ enableObserving(): unknown; enableMore(): void }> = {
    name: "observing",
    install: (host) => ({
      enableObserving: () =>
        host.life.onStart(() => {
          seen = [
            host.life.enabledFeatures(),
            host.http.routes().map(({ guards }) => guards.map((guard) => guard.name)),
          ];
        }),
      enableMore: () => {},
    }),
  };
  const ofApp = () => true;
  const ofGroup = () => true;
  const group = new Blueprint("/group", { guards: [ofGroup] });
  group.get("/own", () => 1);
  const app = new (App.with(observing, probing))().enableProbing().addGuard(ofApp).registerBlueprint(group);
  app.enableObserving();
  await app.start();
  expect(seen).toEqual([
    ["enableProbing", "enableObserving"],
    [[], [], ["ofApp"], ["ofApp"], ["ofApp", "ofGroup"]],
  ]);
});

test("a getter of a feature is evaluated at each access", () => {
  let reads = 0;
  const counter: Feature<{ readonly reads: number }> = {
    name: "counter",
    install: () => ({
      get reads() {
        return ++reads;
      },
    }),
  };
  const app = new (App.with(counter))();
  expect([app.reads, app.reads]).toEqual([1, 2]);
});

test("an enable method without its feature is an error that names the remedy", () => {
  const plain = new App() as unknown as { enableCors(): void };
  expect(() => plain.enableCors()).toThrow(
    "this app has no enableCors; compose the feature that adds it: class MyApp",
  );
  const tracing: Feature<{ enableTracing(): void }> = {
    name: "tracing",
    install: () => ({ enableTracing: () => {} }),
  };
  const composed = new (App.with(tracing))() as unknown as { enableTracin(): void; nothing?: unknown };
  expect(() => composed.enableTracin()).toThrow("did you mean enableTracing?");
  expect([composed.nothing, "enableCors" in composed]).toEqual([undefined, false]);
});
