import { expect, test } from "@jest/globals";
import { App } from "../index.ts";
import { inProcessState } from "./in-process-state.ts";

test("handlers of all workers share the program's values, counters and messages", async () => {
  const shared = inProcessState();
  const received: unknown[] = [];
  const worker = async () => {
    const app = new App().onEvent("startup", () => {
      app.shared.subscribe("news", (message) => void received.push(message));
    });
    app.get("/visits", async ({ app: own }) => (await own.shared.add("visits", 1, { ttlMs: 60_000 })).value);
    return app.start({ shared });
  };
  const workers = [await worker(), await worker()];
  const counts: string[] = [];
  for (const app of workers)
    counts.push(await (await app.fetch(new Request("http://host.test/visits"))).text());
  expect(counts).toEqual(["1", "2"]);
  const [first, second] = workers.map((app) => app.shared);
  await first?.set("motto", { text: "read" }, { ttlMs: 60_000 });
  expect(await second?.get("motto")).toEqual({ text: "read" });
  expect(await second?.set("motto", 1, { ttlMs: 60_000, ifAbsent: true })).toBe(false);
  expect([await second?.delete("motto"), await first?.get("motto")]).toEqual([true, undefined]);
  await first?.publish("news", "hello");
  expect(received).toEqual(["hello", "hello"]);
  await Promise.all(workers.map((app) => app.stop()));
});

test("keys of the program are separate from keys of features", async () => {
  const shared = inProcessState();
  await shared.values.set("login", "of a feature", { ttlMs: 60_000 });
  const app = await new App().start({ shared });
  expect(await app.shared.get("login")).toBeUndefined();
  await app.shared.set("login", "of the program", { ttlMs: 60_000 });
  expect(await shared.values.get("login")).toBe("of a feature");
  await app.stop();
});

test("app.shared throws before the start", () => {
  expect(() => new App().shared).toThrow(
    expect.objectContaining({
      code: "CORE_NOT_STARTED",
      message: expect.stringContaining(
        "app.shared and the app's settings exist from the startup handlers on",
      ),
    }),
  );
});

test.each<[string, (shared: Record<string, (...args: unknown[]) => unknown>) => unknown, string, string]>([
  [
    "set without options",
    (shared) => shared["set"]?.("k", 1),
    "BAD_OPTION",
    "set(key, value, { ttlMs: 60_000 })",
  ],
  [
    "set with seconds",
    (shared) => shared["set"]?.("k", 1, 60),
    "BAD_OPTION",
    "set(key, value, { ttlMs: 60_000 })",
  ],
  ["set with ttl", (shared) => shared["set"]?.("k", 1, { ttl: 60 }), "BAD_OPTION", "options with ttlMs"],
  [
    "add without options",
    (shared) => shared["add"]?.("k", 1),
    "BAD_OPTION",
    "add(key, 1, { ttlMs: 60_000 })",
  ],
  [
    "a key that is a number",
    (shared) => shared["set"]?.(5, 1, { ttlMs: 1 }),
    "BAD_KEY",
    "a key of the shared state",
  ],
  ["an empty key", (shared) => shared["get"]?.(""), "BAD_KEY", "a string of 1 to 512 characters"],
  ["subscribe without a listener", (shared) => shared["subscribe"]?.("news"), "BAD_OPTION", "(message) => …"],
])("%s throws an error that shows the correct use", async (_, call, code, message) => {
  const app = await new App().start();
  expect(() => call(app.shared as never)).toThrow(
    expect.objectContaining({
      code: `CORE_SHARED_STATE_${code}`,
      message: expect.stringContaining(message),
    }),
  );
  await app.stop();
});

test("publish rejects a bad channel, as other errors, instead of throwing it", async () => {
  const app = await new App().start();
  await expect(app.shared.publish("", 1)).rejects.toMatchObject({ code: "CORE_SHARED_STATE_BAD_KEY" });
  await app.stop();
});
