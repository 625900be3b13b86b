import { expect, test } from "@jest/globals";
import { App, type EventOptions } from "../index.ts";
import { virtualClock } from "../runtime/virtual-clock.ts";
import { defaultSettings } from "./default-settings.ts";
import { oncePerService } from "./once-per-service.ts";
import { inProcessState } from "../shared-state/in-process-state.ts";
import { memoryHub } from "../shared-state/workers/memory-link.ts";
import { primaryState } from "../shared-state/workers/primary-state.ts";
import { serveSharedState } from "../shared-state/workers/serve-shared-state.ts";

const log = { info() {}, warn() {}, error() {} };

/** A service whose workers are apps with one shared state. Returns a function that starts a worker. */
const service = (handler: () => void | Promise<void>, options?: EventOptions) => {
  const shared = inProcessState();
  return async () => {
    const app = new App().onEvent("startup", handler, options);
    app.get("/", () => "up");
    await app.start({ shared, log });
    return app;
  };
};

test("a startup handler runs in each worker; with `once` it runs in one worker of the service, and not in a replacement", async () => {
  const runs = { each: 0, once: 0 };
  const each = service(() => void runs.each++);
  const once = service(() => void runs.once++, { once: "service" });
  const workers = await Promise.all([each(), each(), once(), once(), once()]);
  await workers[4]?.stop();
  const replacement = await once();
  expect(runs).toEqual({ each: 2, once: 1 });
  await Promise.all([...workers, replacement].map((app) => app.stop()));
});

test("no worker completes its start before the handler is done", async () => {
  const done = Promise.withResolvers<void>();
  const started: string[] = [];
  const worker = service(() => done.promise, { once: "service" });
  const workers = ["a", "b"].map(async (name) => {
    const app = await worker();
    started.push(name);
    return app;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toEqual([]);
  done.resolve();
  await Promise.all((await Promise.all(workers)).map((app) => app.stop()));
});

test("if the handler fails in one worker, the next worker runs it", async () => {
  let runs = 0;
  const worker = service(
    () => {
      if (++runs === 1) throw new Error("no database");
    },
    { once: "service" },
  );
  await expect(worker()).rejects.toThrow("no database");
  await (await worker()).stop();
  await (await worker()).stop();
  expect(runs).toBe(2);
});

/** Waits for a condition, until the test times out. */
const waitFor = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
};

/** A service of several worker processes. The worker with the claim waits in its handler until `done` is called; `runs` lists the workers that called the handler. */
const blockedService = () => {
  const clock = virtualClock();
  const hub = memoryHub();
  serveSharedState(inProcessState({ clock, log, timeoutMs: Infinity }), hub);
  const runs: string[] = [];
  const gate = Promise.withResolvers<void>();
  const start = (name: string) => {
    const { worker, close } = hub.connect();
    let sent = 0;
    const shared = primaryState(
      { ...worker, send: (message) => (sent++, worker.send(message)) },
      { clock, log },
    );
    const migrate = () => {
      runs.push(name);
      return gate.promise;
    };
    const app = new App().onEvent("startup", migrate, { once: "service" });
    return { close, sent: () => sent, started: app.start({ shared, log }) };
  };
  return { clock, runs, start, done: gate.resolve };
};

test("while the handler runs in one worker for an hour, no other worker runs it", async () => {
  const { clock, runs, start, done } = blockedService();
  const first = start("first");
  await waitFor(() => runs.length === 1);
  const second = start("second");
  await clock.advance(3_600_000); // the claim of the first worker needs no renewal
  const before = second.sent();
  await waitFor(() => second.sent() > before + 2);
  expect(runs).toEqual(["first"]);
  done();
  for (const { started } of [first, second]) await (await started).stop();
  expect(runs).toEqual(["first"]);
});

test("when the worker that runs the handler exits, the next worker runs it", async () => {
  const { clock, runs, start, done } = blockedService();
  const first = start("first");
  const failed = first.started.catch(String);
  await waitFor(() => runs.length === 1);
  const second = start("second");
  first.close();
  await clock.advance(2);
  await waitFor(() => runs.length === 2);
  expect(runs).toEqual(["first", "second"]);
  done();
  await (await second.started).stop();
  expect(await failed).toContain("shared state");
});

test("two handlers with `once` both run, and `once` is rejected for shutdown", async () => {
  const seen: string[] = [];
  const app = new App()
    .onEvent("startup", () => void seen.push("first"), { once: "service" })
    .onEvent("startup", () => void seen.push("second"), { once: "service" });
  await (await app.start({ log })).stop();
  expect(seen).toEqual(["first", "second"]);
  const wrong = new App().onEvent("shutdown", () => {}, { once: "service" });
  await expect(wrong.start({ log })).rejects.toThrow('for "startup" only');
});

test("a worker whose start is cancelled while it waits for the handler does not run it later", async () => {
  const shared = inProcessState();
  const settings = defaultSettings({ shared, log });
  const runs: string[] = [];
  const gate = Promise.withResolvers<void>();
  const task = (name: string, work: () => Promise<void> | void) =>
    oncePerService("migrate", async () => {
      runs.push(name);
      await work();
    });
  const first = task("first", () => gate.promise)(settings, new AbortController().signal);
  await waitFor(() => runs.length === 1);
  const cancelled = new AbortController();
  const second = task("second", () => {})(settings, cancelled.signal);
  await new Promise((resolve) => setImmediate(resolve)); // it pauses until the next attempt
  cancelled.abort(new Error("cancelled"));
  gate.reject(new Error("no database"));
  await expect(first).rejects.toThrow("no database");
  await expect(second).rejects.toThrow("cancelled");
  expect(runs).toEqual(["first"]);
  await task("third", () => {})(settings, new AbortController().signal);
  expect(runs).toEqual(["first", "third"]);
});
