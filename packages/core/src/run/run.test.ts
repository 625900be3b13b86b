import { expect, test } from "@jest/globals";
import { App } from "../app.ts";
import type { Logger } from "../log/logger.ts";
import type { AppSettings } from "../lifecycle/app-settings.ts";
import type { RunOptions } from "./settings/run-options.ts";
import { run } from "./run.ts";
import { routed } from "./testing/routed.ts";

const log: Logger = { info: () => {}, warn: () => {}, error: () => {} };
const embeddedOptions: RunOptions = { exitOnError: false, argv: [], environment: {}, port: 0, log };

test("serves inside a larger program; close() stops it and frees the port", async () => {
  const events: string[] = [];
  const app = routed(
    { "/": () => ({ hello: true }) },
    { start: () => void events.push("start"), stop: () => void events.push("stop") as undefined },
  );
  const { url, port, close } = await run(app, embeddedOptions);
  expect(await (await fetch(url, { headers: { connection: "close" } })).json()).toEqual({ hello: true });
  await Promise.all([close(), close()]);
  expect(events).toEqual(["start", "stop"]);
  const again = await run(routed({}), { ...embeddedOptions, port });
  expect(again.port).toBe(port);
  await again.close();
});

test("rejects running or starting an app that has stopped", async () => {
  const app = new App();
  await (await app.run(embeddedOptions)).close();
  await expect(app.run(embeddedOptions)).rejects.toMatchObject({ code: "CORE_ALREADY_STOPPED" });
  await expect(app.start()).rejects.toMatchObject({ code: "CORE_ALREADY_STOPPED" });
  const started = await new App().start({ log });
  await started.stop();
  await expect(started.start()).rejects.toMatchObject({ code: "CORE_ALREADY_STOPPED" });
  await expect(started.run(embeddedOptions)).rejects.toThrow("create a new App");
});

test("rejects a second run of an app, and the first continues to serve", async () => {
  const app = new App();
  app.get("/", () => "first");
  const { url, close } = await app.run(embeddedOptions);
  await expect(app.run(embeddedOptions)).rejects.toMatchObject({ code: "CORE_RUN_TWICE" });
  expect(await (await fetch(url, { headers: { connection: "close" } })).text()).toBe("first");
  await close();
});

test("after a failed start, run and start reject with a ConfigurationError again", async () => {
  const app = new App();
  app.get("/{id", () => "one");
  await expect(app.run(embeddedOptions)).rejects.toMatchObject({ name: "ConfigurationError" });
  await expect(app.run(embeddedOptions)).rejects.toMatchObject({ name: "ConfigurationError" });
  await expect(app.start()).rejects.toMatchObject({ name: "ConfigurationError" });
});

test("after a run with an invalid setting the app can be run again", async () => {
  const app = new App();
  await expect(app.run({ ...embeddedOptions, workers: 0 })).rejects.toMatchObject({
    name: "ConfigurationError",
  });
  const { url, close } = await app.run(embeddedOptions);
  expect((await fetch(url, { headers: { connection: "close" } })).status).toBe(404);
  await close();
});

test("a handler that writes to request.fields does not change the next equal request", async () => {
  const app = new App();
  app.get("/", (request) => {
    const seen = [...request.fields];
    expect(() => (request.fields as string[]).fill("evil")).toThrow(TypeError);
    return { seen, host: request.getHeader("host") };
  });
  const { url, port, close } = await app.run({ ...embeddedOptions, transport: "fast" });
  const first: unknown = await (await fetch(url)).json();
  expect(await (await fetch(url)).json()).toEqual(first);
  expect(first).toMatchObject({ host: `127.0.0.1:${port}` });
  await close();
});

test("installs no process-wide handlers with exitOnError: false", async () => {
  const names = ["SIGTERM", "SIGINT", "uncaughtException", "unhandledRejection"];
  const count = () => names.map((name) => process.listenerCount(name));
  const before = count();
  const { close } = await run(routed({}), embeddedOptions);
  expect(count()).toEqual(before);
  await close();
});

test("close() removes its process-wide handlers", async () => {
  const names = ["SIGTERM", "SIGINT", "uncaughtException", "unhandledRejection"];
  const count = () => names.map((name) => process.listenerCount(name));
  const before = count();
  const { close } = await run(routed({}), { ...embeddedOptions, exitOnError: true });
  expect(count()).toEqual(before.map((listeners) => listeners + 1));
  await close();
  expect(count()).toEqual(before);
});

test("rejects with every mistake in arguments and flags together", async () => {
  const options = {
    ...embeddedOptions,
    argv: ["--prot=1"],
    workers: 0,
    env: "test",
  } as unknown as RunOptions;
  await expect(run(routed({}), options)).rejects.toMatchObject({
    name: "ConfigurationError",
    problems: [{ code: "CORE_UNKNOWN_FLAG" }, { code: "CORE_BAD_SETTING" }, { code: "CORE_BAD_SETTING" }],
  });
});

test("rejects with the mistakes in settings and app together, and does not start the app", async () => {
  const app = new App();
  let started = false;
  app.onEvent("startup", () => void (started = true));
  app.get("/books", () => "one");
  app.get("/books", () => "two");
  app.get("/{id", () => "three");
  const options = { ...embeddedOptions, port: -1, argv: ["--prot=1"], limits: { maxBodyBytes: -1 } };
  const codes = [
    "CORE_UNKNOWN_FLAG",
    "CORE_BAD_CONFIG",
    "CORE_BAD_SETTING",
    "CORE_ROUTE_DUPLICATE",
    "CORE_ROUTE_BAD_PATTERN",
  ];
  await expect(app.run(options)).rejects.toMatchObject({
    name: "ConfigurationError",
    problems: codes.map((code) => ({ code })),
  });
  expect(started).toBe(false);
});

test("after a mistake only in the settings, routes can be added and the app can be run again", async () => {
  const app = new App();
  app.get("/", () => "hello");
  await expect(app.run({ ...embeddedOptions, port: -1 })).rejects.toMatchObject({ code: "CORE_BAD_SETTING" });
  app.get("/later", () => "later");
  const { url, close } = await app.run(embeddedOptions);
  expect(await (await fetch(`${url}/later`, { headers: { connection: "close" } })).text()).toBe("later");
  await close();
});

test("rejects with the app's start error, and stops the app", async () => {
  const events: string[] = [];
  const app = routed(
    {},
    {
      start: () => {
        throw new Error("no database");
      },
      stop: () => void events.push("stop") as undefined,
    },
  );
  await expect(run(app, embeddedOptions)).rejects.toThrow("no database");
  expect(events).toEqual(["stop"]);
});

test("rejects and stops the app when the port is in use or the host is not an address of this machine", async () => {
  const first = await run(routed({}), embeddedOptions);
  const events: string[] = [];
  const app = routed({}, { stop: () => void events.push("stop") as undefined });
  await expect(run(app, { ...embeddedOptions, port: first.port })).rejects.toMatchObject({
    code: "CORE_PORT_IN_USE",
  });
  await expect(run(app, { ...embeddedOptions, host: "192.0.2.1" })).rejects.toMatchObject({
    code: "CORE_BAD_HOST",
  });
  expect(events).toEqual(["stop", "stop"]);
  await first.close();
});

test("passes all settings, the shared state and the log to the app", async () => {
  let seen: AppSettings | undefined;
  const app = routed({}, { start: (settings) => void (seen = settings) });
  const options = {
    env: "production",
    workers: 1,
    trustedProxies: ["10.0.0.0/8"],
    limits: { maxBodyBytes: 7 },
  } as const;
  const lines: string[] = [];
  const recordingLog = { ...log, info: (message: string) => void lines.push(message) };
  const { close } = await run(app, {
    ...embeddedOptions,
    ...options,
    log: recordingLog,
    timeouts: { handlerSecs: 3 },
  });
  seen?.log.info("a line of the app");
  expect(lines).toContain("a line of the app");
  expect(seen).toMatchObject({
    env: "production",
    debug: false,
    logs: false,
    workers: 1,
    trustedProxies: ["10.0.0.0/8"],
  });
  expect([seen?.limits.maxBodyBytes, seen?.timeouts.handlerSecs]).toEqual([7, 3]);
  expect(await seen?.shared.values.add("key", 2, { ttlMs: 1000 })).toMatchObject({ value: 2 });
  await close();
});
