import { expect, test } from "@jest/globals";
import { openRedis } from "../index.ts";
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
