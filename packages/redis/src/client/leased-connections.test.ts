import { EventEmitter } from "node:events";
import { expect, jest, test } from "@jest/globals";
import { openRedis } from "../index.ts";
import { LeasedConnections } from "./leased-connections.ts";
import { bulkString, startScriptedServer } from "./scripted-server.test-kit.ts";

test("a lease whose commands have no timeout ends although the server no longer replies", async () => {
  using server = await startScriptedServer({ GET: bulkString("Emma"), UNWATCH: "" });
  const open = openRedis({ url: server.url, commandTimeoutMs: 50 }, { log: { warn() {} } });
  expect(await open.withRedis((own) => own.get("title"), { timeoutMs: 0 })).toBe("Emma");
  await open.close();
});

test("a timeout of Infinity means no timeout", async () => {
  using server = await startScriptedServer({ GET: bulkString("Emma") });
  const open = openRedis({ url: server.url }, { log: { warn() {} } });
  expect(await open.withRedis((own) => own.get("title"), { timeoutMs: Infinity })).toBe("Emma");
  await open.close();
});

test("a caller that waits for a connection when the pool closes is rejected for that reason, not for a timeout", async () => {
  const open = openRedis({ url: "redis://127.0.0.1:1", poolSize: 2 }, { log: { warn() {} } });
  const hold = Promise.withResolvers<void>();
  const holding = open.withRedis(() => hold.promise);
  const waiting = open.withRedis(async () => {});
  const closed = open.close();
  await expect(waiting).rejects.toMatchObject({
    code: "REDIS_UNAVAILABLE",
    reason: "the connections were closed",
  });
  hold.resolve();
  await Promise.all([holding, closed]);
});

test("a timeout that is negative or not a number is refused, and the function is not called", async () => {
  const open = openRedis({ url: "redis://127.0.0.1:1" }, { log: { warn() {} } });
  let calls = 0;
  for (const timeoutMs of [-1, Number.NaN, "5" as never]) {
    const lease = open.withRedis(async () => void calls++, { timeoutMs });
    await expect(lease).rejects.toMatchObject({
      code: "CORE_BAD_ARGUMENT",
      message: expect.stringContaining("timeoutMs of withRedis must be a number of at least 0"),
    });
  }
  expect(calls).toBe(0);
  await open.close();
});

test("a lease that ends while the pool closes leaves no timer for its connection", async () => {
  const checked = Promise.withResolvers<string>();
  const client = Object.assign(new EventEmitter(), {
    status: "ready",
    unwatch: () => checked.promise,
    quit: async () => client.emit("end"),
    disconnect() {},
  });
  const idleMs = 123_456;
  const pool = new LeasedConnections({
    create: () => ({ client: client as never, timeoutMs: 0, isTainted: false }),
    max: 1,
    minIdle: 0,
    waitMs: 60_000,
    idleMs,
    maxWaiting: 1,
    checkMs: 60_000,
  });
  const timers = jest.spyOn(globalThis, "setTimeout");
  const lease = pool.use(async () => {}, 0);
  await Promise.resolve(); // the function has returned, and its connection is being checked
  const closing = pool.close();
  checked.resolve("OK");
  await Promise.all([lease, closing]);
  expect(timers.mock.calls.filter(([, ms]) => ms === idleMs)).toEqual([]);
  timers.mockRestore();
});
