import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Ledger } from "@framework/messaging/testing";
import { findProgram, type RabbitMqServer, startProxy, startRabbitMq } from "@framework/services";
import { waitFor } from "@framework/testing";
import { newName, TestApp, TestProcess } from "./process.test-kit.ts";

/** Messages of each fault; FRAMEWORK_RABBITMQ_MESSAGES=100000 makes these tests long. */
const MESSAGES = Number(process.env["FRAMEWORK_RABBITMQ_MESSAGES"] ?? 400);
const LIMIT_MS = 300_000 + MESSAGES * 20;

const block = findProgram("rabbitmq-server") === null ? describe.skip : describe;

/** Sends and handles everything with two consuming processes, while `harm` does its work after a quarter of it. */
const expectEverythingDespite = async (
  url: string,
  harm: () => Promise<void>,
  before: () => Promise<void> = async () => {},
): Promise<void> => {
  const topic = newName();
  const ledger = new Ledger(MESSAGES);
  const config = { url, topics: [topic], heartbeatSecs: 1, sendTimeoutMs: 2000 };
  await using one = new TestApp(config).subscribe(topic, { order: "key" }, ledger.handle);
  await using two = new TestApp(config).subscribe(topic, { order: "key" }, ledger.handle);
  await using sender = new TestApp(config);
  await Promise.all([one, two, sender].map((app) => app.start()));
  await before();
  const sending = ledger.send(sender, topic);
  await waitFor(() => ledger.count >= MESSAGES / 4, { timeoutMs: LIMIT_MS });
  await harm();
  await sending;
  expect(await ledger.sequences()).toEqual(ledger.expected);
};

block("with a server that is harmed", () => {
  let server: RabbitMqServer;
  beforeAll(async () => {
    server = await startRabbitMq();
  }, 180_000);
  afterAll(async () => {
    await server.stop();
  });

  test(
    "a server that is killed and starts again loses no message, and keeps the order of each key",
    async () => {
      const harm = async (): Promise<void> => {
        await server.kill();
        await server.start();
      };
      // RabbitMQ 3.10 writes the directory of its quorum queues with a delay: a queue that is younger does not survive the kill.
      await expectEverythingDespite(server.url, harm, () => sleep(5000));
    },
    LIMIT_MS,
  );

  test(
    "a server that is restarted in order loses no message, and keeps the order of each key",
    async () => {
      await expectEverythingDespite(server.url, async () => {
        await server.shutdown();
        await server.start();
      });
    },
    LIMIT_MS,
  );

  test(
    "a server that freezes is noticed by its heartbeats, and nothing is lost",
    async () => {
      await expectEverythingDespite(server.url, async () => {
        server.pause();
        await sleep(4000); // longer than a send, and than two heartbeats
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
    "a connection without answers ends with a time limit, and another one is made",
    async () => {
      await using proxy = await startProxy(server.url);
      await expectEverythingDespite(proxy.url, async () => {
        proxy.isForwarding = false;
        await sleep(3000);
        proxy.isForwarding = true;
        proxy.drop();
      });
    },
    LIMIT_MS,
  );

  test(
    "a slow acknowledgement is warned of; after the server has closed the channel the message comes again",
    async () => {
      const limit = (ms: number): string =>
        `[application:set_env(rabbit, N, ${ms}) || N <- [consumer_timeout, channel_tick_interval]].`;
      await server.control("eval", limit(2000));
      const topic = newName();
      const tries: AbortSignal[] = [];
      await using one = new TestApp({ url: server.url, topics: [topic], consumerTimeoutMs: 2000 });
      one.subscribe(topic, {}, async ({ signal }) => {
        tries.push(signal);
        if (tries.length > 1) return;
        const { promise, resolve } = Promise.withResolvers<void>();
        signal.addEventListener("abort", () => resolve());
        await promise;
      });
      await one.start();
      expect(one.lines.all.join()).toContain("lower timeoutMs or raise consumer_timeout");
      await one.app.messaging.send(topic, { type: "t", data: 1 });
      await waitFor(() => tries.length === 2);
      expect(tries[0]?.aborted).toBe(true);
      expect(one.lines.all.join()).toContain("deliveries are unsettled for long");
      await waitFor(() => one.app.messaging.status()[0]?.state === "running");
      await server.control("eval", limit(1_800_000));
    },
    LIMIT_MS,
  );

  test(
    "an alarm holds senders up and no consumer: what was sent before is handled, and sends go on when it ends",
    async () => {
      await using process = new TestProcess({ url: server.url });
      await process.declare();
      await process.send([{ body: "before" }]);
      await server.control("set_vm_memory_high_watermark", "absolute", "1MB");
      try {
        const inTime = await process.send([{ body: "at once" }], AbortSignal.timeout(1000)); // the server blocks at the first send
        const [late] = await process.send([{ body: "late" }], AbortSignal.timeout(500));
        expect(inTime).toMatchObject([{ ok: false, isRetryable: true }]);
        expect(late).toMatchObject({ ok: false, error: { code: "RABBITMQ_TIMEOUT" } });
        expect(late?.ok === false && late.error.message).toContain("blocks publishers");
        const { sink, consumer } = await process.consume();
        await waitFor(() => sink.bodies.includes("before"));
        const settlements = sink.deliveries.map((delivery) => ({ delivery, action: "done" }) as const);
        expect(await consumer.settle(settlements)).toEqual([]);
        const waiting = process.send([{ body: "after" }], AbortSignal.timeout(LIMIT_MS)); // `control` takes a minute on a busy machine
        await server.control("set_vm_memory_high_watermark", "0.4");
        expect(await waiting).toEqual([{ ok: true }]);
        await waitFor(() => sink.bodies.includes("after"));
        expect(sink.bodies).not.toContain("late");
      } finally {
        await server.control("set_vm_memory_high_watermark", "0.4");
      }
    },
    LIMIT_MS,
  );
});
