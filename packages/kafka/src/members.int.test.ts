import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { setTimeout as pause } from "node:timers/promises";
import { bundledProgram } from "@framework/bundled-sources";
import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { Ledger } from "@framework/messaging/testing";
import { CommitWatch } from "./commits.test-kit.ts";
import {
  groupOf,
  KEYS,
  LIMIT_MS,
  newLedger,
  newTopic,
  until,
  untilRunning,
  worker,
} from "./faults.test-kit.ts";

const driver = createRequire(import.meta.url);
const { KafkaJSConnectionClosedError } = driver("kafkajs/src/errors.js");
const closed = (): Error =>
  new KafkaJSConnectionClosedError("closed by the test", { host: "127.0.0.1", port: 1 });

/** So many messages of each key, sent at once. */
const few = (each: number): Ledger => new Ledger(each * KEYS, { keys: KEYS, together: KEYS, run: each });

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
      const [topic, ledger] = [newTopic(), newLedger()];
      const watch = new CommitWatch(groupOf(topic));
      const work = (): Promise<void> => pause(2);
      const sender = await worker(brokers, topic, {});
      const start = async (): Promise<Awaited<ReturnType<typeof worker>>> => {
        const app = await worker(brokers, topic, { ledger, work });
        await untilRunning(app);
        return app;
      };
      let current = await start();
      const sent = ledger.send({ app: sender }, topic);
      let turns = 0;
      for (; turns < 3 || ledger.count < ledger.total * 0.9; turns++) {
        const next = await start();
        await current.stop();
        current = next;
      }
      await sent;
      expect(await ledger.sequences()).toEqual(ledger.expected);
      await Promise.all([current.stop(), sender.stop()]);
      expect([ledger.overlaps, ledger.dead.wrong, watch.wrong]).toEqual([0, [], []]);
      expect(watch.commits).toBeGreaterThan(turns);
      if (ledger.total > 10_000) {
        const { handled, total } = ledger;
        console.log(JSON.stringify({ turns, total, handled, ...watch.totals }));
      }
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a rolling restart with clean stops delivers nothing twice",
    async () => {
      const [topic, ledger] = [newTopic(), few(10)];
      const patient = { sendTimeoutMs: 60_000, requestTimeoutMs: 60_000 }; // what is sent again comes twice
      const sender = await worker(brokers, topic, patient);
      const first = await worker(brokers, topic, { ledger });
      await untilRunning(first);
      await ledger.send({ app: sender }, topic);
      await until("the messages before", () => ledger.count === KEYS * 10);
      await first.stop();
      const second = await worker(brokers, topic, { ledger });
      await untilRunning(second);
      await pause(500);
      await Promise.all([second.stop(), sender.stop()]);
      expect(ledger.handled).toBe(KEYS * 10);
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a topic gets its consumer although the group's leader could not ask for it when the consumer joined",
    async () => {
      const [topic, other, ledger] = [newTopic(), newTopic(), few(1)];
      const group = `${topic}-group`;
      const leader = await worker(brokers, topic, { ledger: few(1), group });
      await untilRunning(leader);
      const failed = failToAsk({ topic: other, of: topic });
      const next = await worker(brokers, other, { ledger, group });
      await ledger.send({ app: next }, other);
      await until("all messages", () => ledger.count === KEYS);
      await Promise.all([leader.stop(), next.stop()]);
      expect(failed()).toBe(1);
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a process that joins a group again and does not learn its share of the partitions gets it all the same",
    async () => {
      const [topic, ledger] = [newTopic(), few(1)];
      const clientId = `${topic}-second`;
      const rebalanceTimeoutMs = 300_000; // then the server ends the member
      const first = await worker(brokers, topic, { ledger, rebalanceTimeoutMs });
      await untilRunning(first);
      const second = await worker(brokers, topic, { ledger, clientId, rebalanceTimeoutMs });
      await untilRunning(second);
      const failed = failToSync(clientId);
      const third = await worker(brokers, topic, { ledger, rebalanceTimeoutMs });
      await until("the failure", () => failed() === 1);
      await ledger.send({ app: third }, topic);
      await until("all messages", () => ledger.count === KEYS);
      await Promise.all([first.stop(), second.stop(), third.stop()]);
      expect(ledger.count).toBe(KEYS);
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a message whose process is killed between its effect and its acknowledgement is delivered again",
    async () => {
      const [topic, ledger] = [newTopic(), new Ledger(3, { keys: 1, run: 3 })];
      const program = bundledProgram(new URL("./consumer.test-program.ts", import.meta.url));
      const child = spawn(
        process.execPath,
        ["--conditions=@framework/source", "--disable-warning=ExperimentalWarning", program],
        { env: { ...process.env, BROKERS: brokers, TOPIC: topic }, stdio: ["ignore", "pipe", "pipe"] },
      );
      const exited = once(child, "exit");
      let printed = "";
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
      const sender = await worker(brokers, topic, {});
      await ledger.send({ app: sender }, topic);
      await until(
        () => `the effect of a process with exit code ${child.exitCode}, which has printed:\n${printed}`,
        () => printed.includes('effect {"number":0}\n'),
      );
      child.kill("SIGKILL");
      await exited;
      const next = await worker(brokers, topic, { ledger });
      expect(await ledger.sequences()).toEqual([[0, 1, 2]]);
      await Promise.all([next.stop(), sender.stop()]);
    },
    LIMIT_MS,
  );
});
