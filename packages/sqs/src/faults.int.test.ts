import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { databaseInFile } from "@framework/database/testing";
import { Ledger, TestApp } from "@framework/messaging/testing";
import { type FragileServer, startProxy, startSqs } from "@framework/services";
import { waitFor } from "@framework/testing";
import { killWarmProcesses } from "@framework/warm-processes";
import { sqsBroker } from "./index.ts";
import { appOn, credentials, newName } from "./process.test-kit.ts";

/** Messages of each fault; FRAMEWORK_SQS_MESSAGES=100000 makes these tests long. */
const MESSAGES = Number(process.env["FRAMEWORK_SQS_MESSAGES"] ?? 80);
const LIMIT_MS = 120_000 + MESSAGES * 30;

/** Sends and handles everything with two consuming processes, while `harm` does its work after a quarter of it. */
const expectEverythingDespite = async (endpointUrl: string, harm: () => Promise<void>): Promise<void> => {
  const prefix = newName();
  const ledger = new Ledger(MESSAGES);
  const config = { endpointUrl, visibilityTimeoutSecs: 3, requestTimeoutMs: 500, waitTimeSecs: 5 };
  const start = async (isConsumer: boolean): Promise<TestApp> => {
    const app = appOn(config, { prefix, sendTimeoutMs: 1000 });
    const { topic, group } = app;
    if (isConsumer) app.messaging.subscribe(topic, { group, order: "key" }, ledger.handle as () => void);
    return await app.start();
  };
  await using _one = await start(true);
  await using _two = await start(true);
  await using sender = await start(false);
  const sending = ledger.send(sender, sender.topic);
  await waitFor(() => ledger.count >= MESSAGES / 4, { timeoutMs: LIMIT_MS });
  await harm();
  await sending;
  expect(await ledger.sequences()).toEqual(ledger.expected);
};

let server: FragileServer;
beforeAll(async () => {
  server = await startSqs({ durable: true });
}, 180_000);
afterAll(async () => {
  await server.stop();
});

test(
  "a server that is killed and starts again loses no message, and keeps the order of each key",
  async () => {
    await expectEverythingDespite(server.url, async () => {
      await server.kill();
      await server.start();
    });
  },
  LIMIT_MS,
);

test(
  "a server that freezes is left at the time limits of requests, and nothing is lost",
  async () => {
    await expectEverythingDespite(server.url, async () => {
      server.pause();
      await sleep(1500); // longer than a send and than a request
      server.resume();
    });
  },
  LIMIT_MS,
);

test(
  "connections that are cut again and again lose no message",
  async () => {
    await using proxy = await startProxy(server.url);
    await expectEverythingDespite(proxy.url, async () => {
      for (let cuts = 0; cuts < 5; cuts++) {
        const before = proxy.accepted;
        proxy.drop();
        await waitFor(() => proxy.accepted >= before + 2);
      }
    });
  },
  LIMIT_MS,
);

test(
  "a network that forwards nothing is left at the time limits of requests, and nothing is lost",
  async () => {
    await using proxy = await startProxy(server.url);
    await expectEverythingDespite(proxy.url, async () => {
      proxy.mode = "silent";
      await sleep(1500);
      proxy.mode = "pass";
      proxy.drop();
    });
  },
  LIMIT_MS,
);

test(
  "processes that are killed between effect and acknowledgement lose no message, and with the inbox each has its effect once",
  async () => {
    await using file = databaseInFile();
    const prefix = newName();
    const config = { endpointUrl: server.url, credentials, visibilityTimeoutSecs: 2, maxReceiveCount: 1000 };
    const fixture = { adapter: () => sqsBroker(config), prefix, databaseUrl: file.url };
    const start = async (): Promise<TestApp> => {
      const app = new TestApp(fixture);
      const { topic, group } = app;
      app.messaging.subscribe(topic, { group, dedupe: "inbox" }, async ({ id }, { tx }) => {
        await tx.execute("INSERT INTO effects (message) VALUES ($1)", [id]);
      });
      return await app.start();
    };
    const effects = async ({ app }: TestApp): Promise<readonly string[]> => {
      const rows = await app.db.query<{ message: string }>("SELECT message FROM effects");
      return Array.from(rows, ({ message }) => message);
    };
    const ids = Array.from({ length: Math.max(200, MESSAGES) }, (_, n) => `message-${n}`);
    {
      await using first = new TestApp(fixture);
      first.messaging.subscribe(first.topic, { group: first.group, dedupe: "inbox" }, () => {});
      await first.start();
      await first.app.db.execute("CREATE TABLE effects (message TEXT NOT NULL)");
    }
    await using sender = await new TestApp({ ...fixture, databaseUrl: "sqlite://:memory:" }).start();
    for (let at = 0; at < ids.length; at += 100)
      await sender.messaging.sendAll(
        sender.topic,
        ids.slice(at, at + 100).map((id) => ({ id, type: "t", data: null })),
      );
    const { kills } = await killWarmProcesses({
      program: new URL("./consumer.test-program.ts", import.meta.url),
      env: () => ({ ENDPOINT: server.url, PREFIX: prefix, DATABASE: file.url }),
      begins: true,
      meanLifeMs: 40,
      workingMs: Number(process.env["FRAMEWORK_KILL_SECS"] ?? 0.12) * 1000,
      leastKills: 3,
      standby: 1,
    });
    await using last = await start();
    await waitFor(async () => new Set(await effects(last)).size === ids.length, { timeoutMs: LIMIT_MS });
    expect((await effects(last)).toSorted()).toEqual(ids.toSorted());
    expect(kills).toBeGreaterThanOrEqual(3);
  },
  LIMIT_MS + 300_000,
);
