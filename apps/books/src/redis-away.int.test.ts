import { startProxy, withServer } from "@framework/services";
import { freePort } from "@framework/services/free-port";
import { socketClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { createBooksApp } from "./app.ts";
import { booksSettings } from "./settings.ts";

withServer("redis", (redis) => {
  test("while Redis does not reply, reads and writes continue, and lists have every change", async () => {
    const port = await freePort();
    const REDIS_URL = redis.replace(new URL(redis).host, `127.0.0.1:${port}`);
    await using proxy = await startProxy(redis, { port });
    const env = { DATABASE_URL: "sqlite://:memory:", REDIS_URL, BOOKS_LOG: "warn" };
    await using client = socketClient(createBooksApp(booksSettings(env)));
    const total = async (): Promise<unknown> => (await client.get("/books")).json();
    const add = async (): Promise<number> =>
      (await client.post("/books", { json: { title: "Emma" } })).status;
    expect([await add(), await total()]).toMatchObject([201, { total: 1 }]);
    proxy.mode = "silent";
    proxy.drop();
    for (let count = 2; count <= 4; count++)
      expect([await add(), await total()]).toMatchObject([201, { total: count }]);
    expect(JSON.stringify(client.logs)).toContain("cached lists of other hosts may be outdated");
    proxy.mode = "pass";
    proxy.drop();
    await waitFor(async () => (await client.get("/health/ready")).status === 200, { timeoutMs: 100_000 });
    expect([await add(), await total()]).toMatchObject([201, { total: 5 }]);
  }, 300_000);
});
