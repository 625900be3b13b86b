import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "@framework/core/feature";
import { type FragileServer, findProgram, startKafka, startProxy, type TcpProxy } from "@framework/services";
import { freePort } from "@framework/services/free-port";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import {
  LIMIT_MS,
  MESSAGES,
  newRecorder,
  newTopic,
  REQUEST_MS,
  until,
  untilRunning,
  startWorker,
} from "./faults.test-kit.ts";
import { kafkaBroker } from "./index.ts";

let server: FragileServer;
let proxy: TcpProxy;

beforeAll(async () => {
  if (findProgram("java") === null) throw new Error("java is not installed");
  const [port, advertisedPort] = [await freePort(), await freePort()];
  proxy = await startProxy(`127.0.0.1:${port}`, { port: advertisedPort });
  // A short session, because the controller refuses a restarted server until the session of the killed one has expired.
  const settings = { "broker.session.timeout.ms": 3000, "broker.heartbeat.interval.ms": 500 };
  server = await startKafka({ port, advertisedPort, settings });
}, 240_000);
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await server.stop();
}, 240_000);

/** Two workers handle the messages of a third process during a fault; some messages fail. */
const expectAllDeliveredDespite = async (fault: () => Promise<void>): Promise<void> => {
  const [topic, recorder] = [newTopic(), newRecorder()];
  const work = (): Promise<void> => pause(3);
  const apps = [
    await startWorker(proxy.url, topic, { recorder, work }),
    await startWorker(proxy.url, topic, { recorder, work }),
    await startWorker(proxy.url, topic, {}),
  ] as const;
  for (const app of apps) await untilRunning(app);
  const sent = recorder.send({ app: apps[2] }, topic);
  await until("the first messages", () => recorder.count >= Math.min(100, MESSAGES / 10));
  await fault();
  await sent;
  expect(await recorder.sequences()).toEqual(recorder.expected);
  await Promise.all(apps.map((app) => app.stop()));
  expect(recorder.dead.mismatches).toEqual([]);
  expect(recorder.dead.count).toBeGreaterThan(0);
};

test(
  "nothing is lost, and keys keep their order, when the broker is killed and restarted",
  async () => {
    await expectAllDeliveredDespite(async () => {
      await server.kill();
      await server.start();
    });
  },
  LIMIT_MS,
);

test(
  "nothing is lost, and keys keep their order, when the broker freezes for longer than the request timeout",
  async () => {
    await expectAllDeliveredDespite(async () => {
      server.pause();
      await pause(REQUEST_MS * 1.5);
      server.resume();
    });
  },
  LIMIT_MS,
);

test(
  "nothing is lost, and keys keep their order, when connections are cut repeatedly",
  async () => {
    await expectAllDeliveredDespite(async () => {
      for (let cut = 0; cut < 5; cut++) {
        proxy.drop();
        await pause(200);
      }
    });
  },
  LIMIT_MS,
);

test(
  "a request without a response ends at requestTimeoutMs",
  async () => {
    const log = { info() {}, warn() {}, error() {} };
    const context = { name: "test", instance: "one", clock: systemClock, random: Math.random, log };
    const broker = kafkaBroker({ brokers: proxy.url, requestTimeoutMs: 1000 }).open(context);
    await broker.health(AbortSignal.timeout(LIMIT_MS));
    proxy.mode = "silent";
    try {
      // kafkajs loses the error of a broker if its metadata is fresh.
      const silent = /Request .* timed out|no broker of the cluster responded/;
      await expect(broker.health(AbortSignal.timeout(LIMIT_MS))).rejects.toThrow(silent);
    } finally {
      proxy.mode = "pass";
      await broker.close();
    }
  },
  LIMIT_MS,
);
