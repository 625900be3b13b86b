import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { bundledProgram } from "@framework/bundled-sources";
import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { Ledger, newTopic, sendAll, until, untilRunning, worker } from "./faults.test-kit.ts";

/** Messages of a key: more with `FRAMEWORK_KAFKA_MESSAGES=100000`. */
const EACH = Number(process.env["FRAMEWORK_KAFKA_MESSAGES"] ?? 1000) / 20;
const KEYS = 20;
const TOTAL = KEYS * EACH;
/** Messages of a key in one send: so few that a rebalance meets many sends. */
const CHUNK = Math.max(2, EACH / 100);
const LIMIT_MS = 300_000;

const driver = createRequire(import.meta.url);
const { KafkaJSConnectionClosedError } = driver("kafkajs/src/errors.js");
const closed = (): Error =>
  new KafkaJSConnectionClosedError("closed by the test", { host: "127.0.0.1", port: 1 });

/** Fails the driver's next request for the metadata of a topic in a consumer of another one; returns how many failed so far. */
const failToAsk = ({ topic, of }: { readonly topic: string; readonly of: string }): (() => number) => {
  const { prototype } = driver("kafkajs/src/cluster/index.js") as { prototype: DriverCluster };
  const ask = prototype.addMultipleTargetTopics;
  let failed = 0;
  prototype.addMultipleTargetTopics = async function (topics) {
    if (failed === 1 || !topics.includes(topic) || !this.targetTopics.has(of))
      return await ask.call(this, topics);
    failed++;
    throw closed();
  };
  return () => failed;
};

interface DriverCluster {
  readonly targetTopics: ReadonlySet<string>;
  addMultipleTargetTopics(this: DriverCluster, topics: readonly string[]): Promise<void>;
}

/** Fails the next request of a client for its share of the partitions; returns how many failed so far. */
const failToSync = (clientId: string): (() => number) => {
  const { prototype } = driver("kafkajs/src/broker/index.js") as { prototype: DriverBroker };
  const sync = prototype.syncGroup;
  let failed = 0;
  prototype.syncGroup = async function (request) {
    if (failed === 1 || !request.memberId.startsWith(clientId)) return await sync.call(this, request);
    failed++;
    throw closed();
  };
  return () => failed;
};

interface DriverBroker {
  syncGroup(this: DriverBroker, request: { readonly memberId: string }): Promise<unknown>;
}

withServer("kafka", (brokers) => {
  test.concurrent(
    "nothing is lost, keys keep their order and no two handlers of a key overlap, while processes come and go",
    async () => {
      const [topic, ledger] = [newTopic(), new Ledger()];
      const work = (): Promise<void> => pause(2);
      const sender = await worker(brokers, topic, {});
      let current = await worker(brokers, topic, { ledger, work });
      await untilRunning(current);
      const sent = sendAll(sender, topic, { keys: KEYS, each: EACH, chunk: CHUNK });
      for (let turn = 0; turn < 3; turn++) {
        const next = await worker(brokers, topic, { ledger, work });
        await untilRunning(next);
        await current.stop();
        current = next;
      }
      await sent;
      await until("all messages", () => ledger.count === TOTAL);
      await Promise.all([current.stop(), sender.stop()]);
      expect([ledger.disordered, ledger.overlaps]).toEqual([[], 0]);
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a rolling restart with clean stops delivers nothing twice",
    async () => {
      const [topic, ledger] = [newTopic(), new Ledger()];
      const sender = await worker(brokers, topic, {});
      const first = await worker(brokers, topic, { ledger });
      await untilRunning(first);
      await sendAll(sender, topic, { keys: KEYS, each: 10 });
      await until("the messages before", () => ledger.count === KEYS * 10);
      await first.stop();
      const second = await worker(brokers, topic, { ledger });
      await untilRunning(second);
      await pause(500);
      await Promise.all([second.stop(), sender.stop()]);
      expect([...ledger.byKey.values()].flat()).toHaveLength(KEYS * 10);
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a topic gets its consumer although the group's leader could not ask for it when the consumer joined",
    async () => {
      const [topic, other, ledger] = [newTopic(), newTopic(), new Ledger()];
      const group = `${topic}-group`;
      const leader = await worker(brokers, topic, { ledger: new Ledger(), group });
      await untilRunning(leader);
      const failed = failToAsk({ topic: other, of: topic });
      const next = await worker(brokers, other, { ledger, group });
      await sendAll(next, other, { keys: KEYS, each: 1 });
      await until("all messages", () => ledger.count === KEYS);
      await Promise.all([leader.stop(), next.stop()]);
      expect(failed()).toBe(1);
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a process that joins a group again and does not learn its share of the partitions gets it all the same",
    async () => {
      const [topic, ledger] = [newTopic(), new Ledger()];
      const clientId = `${topic}-second`;
      const rebalanceTimeoutMs = LIMIT_MS; // then the server ends the member
      const first = await worker(brokers, topic, { ledger, rebalanceTimeoutMs });
      await untilRunning(first);
      const second = await worker(brokers, topic, { ledger, clientId, rebalanceTimeoutMs });
      await untilRunning(second);
      const failed = failToSync(clientId);
      const third = await worker(brokers, topic, { ledger, rebalanceTimeoutMs });
      await until("the failure", () => failed() === 1);
      await sendAll(third, topic, { keys: KEYS, each: 1 });
      await until("all messages", () => ledger.count === KEYS);
      await Promise.all([first.stop(), second.stop(), third.stop()]);
      expect(ledger.count).toBe(KEYS);
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a message whose process is killed between its effect and its acknowledgement is delivered again",
    async () => {
      const topic = newTopic();
      const program = bundledProgram(new URL("./consumer.test-program.ts", import.meta.url));
      const child = spawn(
        process.execPath,
        ["--conditions=@framework/source", "--disable-warning=ExperimentalWarning", program],
        { env: { ...process.env, BROKERS: brokers, TOPIC: topic }, stdio: ["ignore", "pipe", "inherit"] },
      );
      const sender = await worker(brokers, topic, {});
      await sendAll(sender, topic, { keys: 1, each: 3 });
      const [line] = (await once(createInterface(child.stdout), "line")) as [string];
      expect(line).toBe("effect 0");
      child.kill("SIGKILL");
      await once(child, "exit");
      const ledger = new Ledger();
      const next = await worker(brokers, topic, { ledger });
      await until("all messages", () => ledger.count === 3);
      await Promise.all([next.stop(), sender.stop()]);
      expect(ledger.byKey.get("key-0")).toEqual([0, 1, 2]);
    },
    LIMIT_MS,
  );
});
