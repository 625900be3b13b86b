import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach, expect, jest, test } from "@jest/globals";
import type { Logger } from "../../log/logger.ts";
import { isClean, readinessDelayMs, reserveMs, shutDown } from "./shutdown.ts";

afterEach(() => void jest.useRealTimers());

const setUp = ({
  cut = 0,
  listeners = Promise.resolve(true),
  stop = async (): Promise<boolean> => true,
} = {}) => {
  const events: string[] = [];
  const log: Logger = {
    info: () => {},
    warn: () => {},
    error: (message) => events.push(`log: ${message}`),
  };
  let receivedDeadlineMs = 0;
  const app = {
    drain: () => {
      events.push("readiness 503");
      return listeners;
    },
    endStreams: () => void events.push("streams end"),
    stop: () => {
      events.push("stop tasks");
      return stop();
    },
  };
  const transport = {
    accepted: 0,
    drain: () => void events.push("no more connections"),
    close: async (deadlineMs: number) => {
      receivedDeadlineMs = deadlineMs;
      events.push("in flight");
      return { cut };
    },
  };
  return { events, log, app, transport, receivedDeadlineMs: () => receivedDeadlineMs };
};

test("first turns readiness to 503, then stops accepting, finishes pending requests, and finally stops the app", async () => {
  const { events, log, app, transport } = setUp();
  const result = await shutDown(app, transport, { readinessDelayMs: 1, timeoutMs: 60_000 }, log);
  expect(events).toEqual(["readiness 503", "no more connections", "streams end", "in flight", "stop tasks"]);
  expect(result).toEqual({ cut: 0, late: false });
  expect(isClean(result)).toBe(true);
});

test("accepts the queued connections of the listener before it closes", async () => {
  const accepted: Socket[] = [];
  const server = createServer((socket) => accepted.push(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  await new Promise<void>((resolve) => process.nextTick(resolve)); // the system has completed the connection, but `server` has not accepted it
  const { log, app } = setUp();
  const transport = { accepted: 0, drain: () => void server.close(), close: async () => ({ cut: 0 }) };
  expect(accepted).toHaveLength(0);
  await shutDown(app, transport, { readinessDelayMs: 0, timeoutMs: 60_000 }, log);
  expect(accepted).toHaveLength(1);
  for (const socket of [client, ...accepted]) socket.destroy();
});

test("accepts connections for the whole readiness delay", async () => {
  const { events, log, app, transport } = setUp();
  const begun = performance.now();
  let closedAt = 0;
  const timed = { ...transport, drain: () => void (closedAt = performance.now() - begun) };
  await shutDown(app, timed, { readinessDelayMs: 60, timeoutMs: 60_000 }, log);
  expect(closedAt).toBeGreaterThanOrEqual(58);
  expect(events[0]).toBe("readiness 503");
});

test("the deadline includes the readiness delay and a reserve for stop tasks", async () => {
  const { log, app, transport, receivedDeadlineMs } = setUp();
  await shutDown(app, transport, { readinessDelayMs: 50, timeoutMs: 120_000 }, log);
  expect(receivedDeadlineMs()).toBeLessThanOrEqual(117_951);
  expect(receivedDeadlineMs()).toBeGreaterThan(60_000); // allows for a busy machine
  expect([reserveMs(1000), reserveMs(120_000)]).toEqual([100, 2000]);
});

test("a readiness delay as long as the drain leaves the reserve for stop tasks", async () => {
  const { log, app, transport } = setUp({
    stop: () => new Promise((resolve) => setTimeout(resolve, 20, true)),
  });
  jest.useFakeTimers();
  const result = shutDown(app, transport, { readinessDelayMs: 1000, timeoutMs: 1000 }, log);
  await jest.advanceTimersByTimeAsync(2000);
  expect(await result).toEqual({ cut: 0, late: false });
});

test("reports the number of cut connections and still stops the app", async () => {
  const { events, log, app, transport } = setUp({ cut: 3 });
  const result = await shutDown(app, transport, { readinessDelayMs: 0, timeoutMs: 60_000 }, log);
  expect(events.slice(-2)).toEqual([
    "log: the drain passed its deadline; connections were cut",
    "stop tasks",
  ]);
  expect(isClean(result)).toBe(false);
});

test("waits for drain listeners before the stop tasks, and the result is late if a listener timed out", async () => {
  const { promise: listeners, resolve } = Promise.withResolvers<boolean>();
  const { events, log, app, transport } = setUp({ listeners });
  const result = shutDown(app, transport, { readinessDelayMs: 0, timeoutMs: 60_000 }, log);
  while (!events.includes("in flight")) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  expect(events.at(-1)).toBe("in flight");
  resolve(false);
  expect(await result).toEqual({ cut: 0, late: true });
  expect(events.at(-1)).toBe("stop tasks");
});

test("does not wait for stop tasks beyond the deadline", async () => {
  const { log, app, transport } = setUp({ stop: () => new Promise(() => {}) });
  expect(await shutDown(app, transport, { readinessDelayMs: 0, timeoutMs: 40 }, log)).toEqual({
    cut: 0,
    late: true,
  });
});

test("the result is late if the app abandoned background tasks or calls", async () => {
  const { log, app, transport } = setUp({ stop: async () => false });
  const result = await shutDown(app, transport, { readinessDelayMs: 0, timeoutMs: 60_000 }, log);
  expect(result).toEqual({ cut: 0, late: true });
});

test("logs a failure of the app to stop", async () => {
  const { events, log, app, transport } = setUp({ stop: () => Promise.reject(new Error("no")) });
  await shutDown(app, transport, { readinessDelayMs: 0, timeoutMs: 60_000 }, log);
  expect(events.at(-1)).toBe("log: the application did not stop cleanly");
});

test("the readiness delay is 2 s in production with health checks, and 0 otherwise, by default", () => {
  expect(readinessDelayMs(undefined, "production", true)).toBe(2000);
  expect(readinessDelayMs(undefined, "production", false)).toBe(0);
  expect(readinessDelayMs(undefined, "development", true)).toBe(0);
  expect(readinessDelayMs(0, "production", true)).toBe(0);
  expect(readinessDelayMs(1.5, "development", false)).toBe(1500);
});
