// One file: every fault of the server and of consumers is tested against the same guarantees.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { type FragileServer, findProgram, freePort, startKafka } from "@framework/services";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type CuttingProxy, startProxy } from "./cutting-proxy.test-kit.ts";
import { Ledger, sendAll, until, untilRunning, worker } from "./faults.test-kit.ts";

/** Messages of one test: more with `FRAMEWORK_KAFKA_MESSAGES=100000`. */
const TOTAL = Number(process.env["FRAMEWORK_KAFKA_MESSAGES"] ?? 1000);
const KEYS = 20;
const EACH = TOTAL / KEYS;
/** Messages of a key in one send: so few that a fault meets many sends. */
const CHUNK = Math.max(2, EACH / 100);

let server: FragileServer;
let proxy: CuttingProxy;

beforeAll(async () => {
  if (findProgram("java") === null) throw new Error("java is not installed");
  const [port, advertisedPort] = [await freePort(), await freePort()];
  proxy = await startProxy(`127.0.0.1:${port}`, advertisedPort);
  server = await startKafka({ port, advertisedPort });
}, 120_000);
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await server.stop();
}, 120_000);

const newTopic = (): string => `t${randomUUID().slice(0, 8)}`;

/** Two workers handle what a third process sends, while a fault happens. */
const underFault = async (fault: () => Promise<void>): Promise<Ledger> => {
  const [topic, ledger] = [newTopic(), new Ledger()];
  const work = (): Promise<void> => pause(3);
  const apps = [
    await worker(proxy.address, topic, { ledger, work }),
    await worker(proxy.address, topic, { ledger, work }),
    await worker(proxy.address, topic, {}),
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
    await pause(7000);
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

test("nothing is lost, keys keep their order and no two handlers of a key overlap, while processes come and go", async () => {
  const [topic, ledger] = [newTopic(), new Ledger()];
  const work = (): Promise<void> => pause(2);
  const sender = await worker(proxy.address, topic, {});
  let current = await worker(proxy.address, topic, { ledger, work });
  await untilRunning(current);
  const sent = sendAll(sender, topic, { keys: KEYS, each: EACH, chunk: CHUNK });
  for (let turn = 0; turn < 3; turn++) {
    const next = await worker(proxy.address, topic, { ledger, work });
    await untilRunning(next);
    await current.stop();
    current = next;
  }
  await sent;
  await until("all messages", () => ledger.count === TOTAL);
  await Promise.all([current.stop(), sender.stop()]);
  expect([ledger.disordered, ledger.overlaps]).toEqual([[], 0]);
}, 300_000);

test("a rolling restart with clean stops delivers nothing twice", async () => {
  const [topic, ledger] = [newTopic(), new Ledger()];
  const sender = await worker(proxy.address, topic, {});
  const first = await worker(proxy.address, topic, { ledger });
  await untilRunning(first);
  await sendAll(sender, topic, { keys: KEYS, each: 10 });
  await until("the messages before", () => ledger.count === KEYS * 10);
  await first.stop();
  const second = await worker(proxy.address, topic, { ledger });
  await untilRunning(second);
  await pause(500);
  await Promise.all([second.stop(), sender.stop()]);
  expect([...ledger.byKey.values()].flat()).toHaveLength(KEYS * 10);
}, 300_000);

test("a message whose process is killed between its effect and its acknowledgement is delivered again", async () => {
  const topic = newTopic();
  const program = new URL("./consumer.test-program.ts", import.meta.url).pathname;
  const child = spawn(
    process.execPath,
    ["--conditions=@framework/source", "--disable-warning=ExperimentalWarning", program],
    { env: { ...process.env, BROKERS: proxy.address, TOPIC: topic }, stdio: ["ignore", "pipe", "inherit"] },
  );
  const sender = await worker(proxy.address, topic, {});
  await sendAll(sender, topic, { keys: 1, each: 3 });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  expect(line).toBe("effect 0");
  child.kill("SIGKILL");
  await once(child, "exit");
  const ledger = new Ledger();
  const next = await worker(proxy.address, topic, { ledger });
  await until("all messages", () => ledger.count === 3);
  await Promise.all([next.stop(), sender.stop()]);
  expect(ledger.byKey.get("key-0")).toEqual([0, 1, 2]);
}, 300_000);
