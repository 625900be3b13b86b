import { setTimeout as pause } from "node:timers/promises";
import {
  type FragileServer,
  findProgram,
  freePort,
  startKafka,
  startProxy,
  type TcpProxy,
} from "@framework/services";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Ledger, newTopic, REQUEST_MS, sendAll, until, untilRunning, worker } from "./faults.test-kit.ts";

/** Messages of one test: more with `FRAMEWORK_KAFKA_MESSAGES=100000`. */
const TOTAL = Number(process.env["FRAMEWORK_KAFKA_MESSAGES"] ?? 1000);
const KEYS = 20;
const EACH = TOTAL / KEYS;
/** Messages of a key in one send: so few that a fault meets many sends. */
const CHUNK = Math.max(2, EACH / 100);

let server: FragileServer;
let proxy: TcpProxy;

beforeAll(async () => {
  if (findProgram("java") === null) throw new Error("java is not installed");
  const [port, advertisedPort] = [await freePort(), await freePort()];
  proxy = await startProxy(`127.0.0.1:${port}`, { port: advertisedPort });
  // A server that is killed is refused by its controller until its own session has ended.
  const settings = { "broker.session.timeout.ms": 3000, "broker.heartbeat.interval.ms": 500 };
  server = await startKafka({ port, advertisedPort, settings });
}, 120_000);
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await server.stop();
}, 120_000);

/** Two workers handle what a third process sends, while a fault happens. */
const underFault = async (fault: () => Promise<void>): Promise<Ledger> => {
  const [topic, ledger] = [newTopic(), new Ledger()];
  const work = (): Promise<void> => pause(3);
  const apps = [
    await worker(proxy.url, topic, { ledger, work }),
    await worker(proxy.url, topic, { ledger, work }),
    await worker(proxy.url, topic, {}),
  ] as const;
  for (const app of apps) await untilRunning(app);
  const sent = sendAll(apps[2], topic, { keys: KEYS, each: EACH, chunk: CHUNK });
  await until("the first messages", () => ledger.count >= Math.min(100, TOTAL / 10));
  await fault();
  await sent;
  await until("all messages", () => ledger.count === TOTAL);
  await Promise.all(apps.map((app) => app.stop()));
  return ledger;
};

test("nothing is lost, and keys keep their order, when the broker is killed and started again", async () => {
  const ledger = await underFault(async () => {
    await server.kill();
    await server.start();
  });
  expect([ledger.count, ledger.disordered]).toEqual([TOTAL, []]);
}, 300_000);

test("nothing is lost, and keys keep their order, when the broker freezes for longer than a request may take", async () => {
  const ledger = await underFault(async () => {
    server.pause();
    await pause(REQUEST_MS * 1.5);
    server.resume();
  });
  expect([ledger.count, ledger.disordered]).toEqual([TOTAL, []]);
}, 300_000);

test("nothing is lost, and keys keep their order, when connections are cut again and again", async () => {
  const ledger = await underFault(async () => {
    for (let cut = 0; cut < 5; cut++) {
      proxy.drop();
      await pause(200);
    }
  });
  expect([ledger.count, ledger.disordered]).toEqual([TOTAL, []]);
}, 300_000);
