import { expect, test } from "@jest/globals";
import { App } from "../index.ts";
import type { Feature } from "../feature.ts";
import type { Host } from "../feature/host.ts";

const log = { info() {}, warn() {}, error() {} };

/** A feature that runs a test's `install` and adds no methods to the app. */
const feature = (name: string, install: (host: Host) => void): Feature => ({
  name,
  install(host) {
    install(host);
    return {};
  },
});

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a failed start stops exactly the features whose start had begun, in reverse", async () => {
  const events: string[] = [];
  const recording = (name: string, run: () => void = () => {}) =>
    feature(name, (host) => {
      host.life.onStart({ name, run: () => (events.push(`start ${name}`), run()) });
      host.life.onDrain(() => void events.push(`drain ${name}`));
      host.life.onStop(() => void events.push(`stop ${name}`));
    });
  const fail = () => {
    throw new Error("no");
  };
  const app = new (App.with(recording("one"), recording("two", fail), recording("three")))();
  app.onEvent("shutdown", () => void events.push("shutdown"));
  await expect(app.start({ log })).rejects.toMatchObject({ code: "CORE_START_TASK" });
  expect(events).toEqual(["start one", "start two", "stop two", "stop one"]);
});

test("listening tasks run after the startup handlers when the first `fetch` starts the app", async () => {
  const events: string[] = [];
  const listens = feature("listens", (host) => host.life.onListening(() => void events.push("listening")));
  const app = new (App.with(listens))().onEvent("startup", () => void events.push("startup"));
  app.get("/", () => events.join());
  expect(await (await app.fetch(new Request("http://host.test/"))).text()).toBe("startup,listening");
  await app.stop();
});

test("a listening task can send requests to the app itself", async () => {
  const app = new (App.with(
    feature("asks", (host) =>
      host.life.onListening(async () => {
        reply = await (await app.fetch(new Request("http://host.test/"))).text();
      }),
    ),
  ))();
  let reply = "";
  app.get("/", () => "served");
  await app.start({ log });
  expect(reply).toBe("served");
  await app.stop();
});

test("a failing listening task drains and stops the app", async () => {
  const events: string[] = [];
  const broken = feature("broken", (host) =>
    host.life
      .onListening({ name: "broker", run: () => Promise.reject(new Error("away")) })
      .onDrain(() => void events.push("drain"))
      .onStop(() => void events.push("stop")),
  );
  const app = new (App.with(broken))();
  await expect(app.start({ log })).rejects.toThrow('listening task "broker" failed: away');
  expect(events).toEqual(["drain", "stop"]);
});

test("stop() waits for drain listeners and aborts the draining signal, and a failing listener does not stop the rest", async () => {
  const events: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  let host: Host | undefined;
  const drains = feature("drains", (given) => {
    host = given;
    given.life
      .onDrain(() => {
        throw new Error("at once");
      })
      .onDrain(() => Promise.reject(new Error("later")))
      .onDrain(async () => {
        await promise;
        events.push("drained");
      })
      .onStop(() => void events.push("stop"));
  });
  const app = new (App.with(drains))();
  const errors: unknown[] = [];
  await app.start({ log: { ...log, error: (_message, fields) => void errors.push(fields?.["error"]) } });
  expect(host?.life.draining.aborted).toBe(false);
  const stopped = app.stop();
  await tick();
  expect(events).toEqual([]);
  expect(host?.life.draining.reason).toMatchObject({ status: 503 });
  resolve();
  await stopped;
  expect(events).toEqual(["drained", "stop"]);
  expect(errors.map(String)).toEqual(["Error: at once", "Error: later"]);
});

test("request.draining is the same signal for the whole app", async () => {
  const app = new App();
  const signals: AbortSignal[] = [];
  app.get("/", ({ draining }) => signals.push(draining));
  await app.fetch(new Request("http://host.test/"));
  await app.fetch(new Request("http://host.test/"));
  expect(signals[0]).toBe(signals[1]);
  await app.stop();
  expect(signals[0]?.aborted).toBe(true);
});

test("stop() cancels a start: the signal of the running task aborts, and later tasks do not run", async () => {
  const events: string[] = [];
  const waits = feature("waits", (host) =>
    host.life
      .onStart(async (_settings, signal) => {
        events.push("begun");
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        events.push((signal.reason as { code: string }).code);
      })
      .onStart(() => void events.push("never"))
      .onStop(() => void events.push("stop")),
  );
  const app = new (App.with(waits))();
  const start = app.start({ log });
  await tick();
  const stopped = app.stop();
  await expect(start).rejects.toMatchObject({ code: "CORE_START_ABANDONED" });
  await stopped;
  expect(events).toEqual(["begun", "CORE_START_ABANDONED", "stop"]);
});

test("the signal of a task aborts at its timeout", async () => {
  let reason: unknown;
  const app = new (App.with(
    feature("slow", (host) =>
      host.life.onStart({
        name: "slow",
        timeoutSecs: 0.01,
        run: (_settings, signal) =>
          new Promise(() => signal.addEventListener("abort", () => (reason = signal.reason))),
      }),
    ),
  ))();
  await expect(app.start({ log })).rejects.toThrow("still running after 0.01 s");
  expect(reason).toMatchObject({ code: "CORE_TASK_TIMEOUT" });
});

test("a shared state that a feature provides is closed after the stop tasks of all features", async () => {
  const events: string[] = [];
  const uses = feature("uses", (host) =>
    host.life.onStop(() => void events.push("stop of an earlier feature")),
  );
  const provides = feature("provides", (host) =>
    host.state.provideShared({ values: (builtIn) => builtIn }, () => void events.push("closed")),
  );
  const app = new (App.with(uses, provides))();
  await app.start({ log });
  await app.stop();
  expect(events).toEqual(["stop of an earlier feature", "closed"]);
});

test("the position in App.with determines the order of features, not the order of the enable calls", async () => {
  const events: string[] = [];
  const recording = <Name extends string>(name: Name) =>
    ({
      name,
      install: (host: Host) =>
        ({
          [`enable${name}`]() {
            host.life.onStart(() => void events.push(`start ${name}`));
            host.life.onStop(() => void events.push(`stop ${name}`));
          },
        }) as Record<`enable${Name}`, () => void>,
    }) satisfies Feature;
  const app = new (App.with(recording("Db"), recording("Saga")))();
  app.onEvent("startup", () => void events.push("startup"));
  app.enableSaga();
  app.enableDb();
  await app.start({ log });
  await app.stop();
  expect(events).toEqual(["start Db", "start Saga", "startup", "stop Saga", "stop Db"]);
});

test("a task may be an instance of a class", async () => {
  class Opening {
    readonly name = "opening";
    isOpen = false;
    run(): void {
      this.isOpen = true;
    }
  }
  const opening = new Opening();
  const app = new (App.with(feature("opens", (host) => host.life.onStart(opening))))();
  await app.start({ log });
  expect(opening.isOpen).toBe(true);
});
