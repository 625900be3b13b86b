import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { setTimeout as pause } from "node:timers/promises";
import { bundledProgram } from "@framework/bundled-sources";
import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { DeliveryRecorder } from "@framework/messaging/testing";
import { CommitWatch } from "./commits.test-kit.ts";
import {
  groupOf,
  KEYS,
  LIMIT_MS,
  newRecorder,
  newTopic,
  until,
  untilRunning,
  startWorker,
} from "./faults.test-kit.ts";

const driver = createRequire(import.meta.url);
const { KafkaJSConnectionClosedError } = driver("kafkajs/src/errors.js");
const connectionClosed = (): Error =>
  new KafkaJSConnectionClosedError("closed by the test", { host: "127.0.0.1", port: 1 });

/** Creates a recorder that sends `perKey` messages of each key, all in one send. */
const smallRecorder = (perKey: number): DeliveryRecorder =>
  new DeliveryRecorder(perKey * KEYS, { keys: KEYS, together: KEYS, run: perKey });

/** Fails the next metadata request for a topic by a consumer of another topic. Returns the number of failures so far. */
const failMetadata = ({
  topic,
  consumed,
}: {
  readonly topic: string;
  readonly consumed: string;
}): (() => number) => {
  const { prototype } = driver("kafkajs/src/cluster/index.js") as { prototype: DriverCluster };
  const addTopics = prototype.addMultipleTargetTopics;
  let failed = 0;
  prototype.addMultipleTargetTopics = async function (topics) {
    if (failed === 1 || !topics.includes(topic) || !this.targetTopics.has(consumed))
      return await addTopics.call(this, topics);
    failed++;
    throw connectionClosed();
  };
  return () => failed;
};

interface DriverCluster {
  readonly targetTopics: ReadonlySet<string>;
  addMultipleTargetTopics(this: DriverCluster, topics: readonly string[]): Promise<void>;
}

/** Fails the next sync request of a client. Returns the number of failures so far. */
const failToSync = (clientId: string): (() => number) => {
  const { prototype } = driver("kafkajs/src/broker/index.js") as { prototype: DriverBroker };
  const sync = prototype.syncGroup;
  let failed = 0;
  prototype.syncGroup = async function (request) {
    if (failed === 1 || !request.memberId.startsWith(clientId)) return await sync.call(this, request);
    failed++;
    throw connectionClosed();
  };
  return () => failed;
};

interface DriverBroker {
  syncGroup(this: DriverBroker, request: { readonly memberId: string }): Promise<unknown>;
}

withServer("kafka", (brokers) => {
  test.concurrent(
    "nothing is lost, keys keep their order and handlers of a key do not overlap, while processes join and leave",
    async () => {
      const [topic, recorder] = [newTopic(), newRecorder()];
      const watch = new CommitWatch(groupOf(topic));
      const work = (): Promise<void> => pause(2);
      const sender = await startWorker(brokers, topic, {});
      const start = async (): Promise<Awaited<ReturnType<typeof startWorker>>> => {
        const app = await startWorker(brokers, topic, { recorder, work });
        await untilRunning(app);
        return app;
      };
      let current = await start();
      const sent = recorder.send({ app: sender }, topic);
      let restarts = 0;
      for (; restarts < 3 || recorder.count < recorder.total * 0.9; restarts++) {
        const next = await start();
        await current.stop();
        current = next;
      }
      await sent;
      expect(await recorder.sequences()).toEqual(recorder.expected);
      await Promise.all([current.stop(), sender.stop()]);
      expect([recorder.overlaps, recorder.dead.mismatches, watch.violations]).toEqual([0, [], []]);
      expect(watch.commits).toBeGreaterThan(restarts);
      if (recorder.total > 10_000) {
        const { handled, total } = recorder;
        console.log(JSON.stringify({ restarts, total, handled, ...watch.totals }));
      }
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a rolling restart with clean stops delivers nothing twice",
    async () => {
      const [topic, recorder] = [newTopic(), smallRecorder(10)];
      const patient = { sendTimeoutMs: 60_000, requestTimeoutMs: 60_000 }; // a repeated send would be delivered twice
      const sender = await startWorker(brokers, topic, patient);
      const first = await startWorker(brokers, topic, { recorder });
      await untilRunning(first);
      await recorder.send({ app: sender }, topic);
      await until("the messages before", () => recorder.count === KEYS * 10);
      await first.stop();
      const second = await startWorker(brokers, topic, { recorder });
      await untilRunning(second);
      await pause(500);
      await Promise.all([second.stop(), sender.stop()]);
      expect(recorder.handled).toBe(KEYS * 10);
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a topic is assigned even if the leader's metadata request failed when its consumer joined",
    async () => {
      const [topic, other, recorder] = [newTopic(), newTopic(), smallRecorder(1)];
      const group = `${topic}-group`;
      const leader = await startWorker(brokers, topic, { recorder: smallRecorder(1), group });
      await untilRunning(leader);
      const failed = failMetadata({ topic: other, consumed: topic });
      const next = await startWorker(brokers, other, { recorder, group });
      await recorder.send({ app: next }, other);
      await until("all messages", () => recorder.count === KEYS);
      await Promise.all([leader.stop(), next.stop()]);
      expect(failed()).toBe(1);
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a process whose sync fails after a rebalance receives its assignment later",
    async () => {
      const [topic, recorder] = [newTopic(), smallRecorder(1)];
      const clientId = `${topic}-second`;
      const rebalanceTimeoutMs = 300_000; // after this the server would remove the member
      const first = await startWorker(brokers, topic, { recorder, rebalanceTimeoutMs });
      await untilRunning(first);
      const second = await startWorker(brokers, topic, { recorder, clientId, rebalanceTimeoutMs });
      await untilRunning(second);
      const failed = failToSync(clientId);
      const third = await startWorker(brokers, topic, { recorder, rebalanceTimeoutMs });
      await until("the failure", () => failed() === 1);
      await recorder.send({ app: third }, topic);
      await until("all messages", () => recorder.count === KEYS);
      await Promise.all([first.stop(), second.stop(), third.stop()]);
      expect(recorder.count).toBe(KEYS);
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a message whose process is killed between its effect and its acknowledgement is delivered again",
    async () => {
      const [topic, recorder] = [newTopic(), new DeliveryRecorder(3, { keys: 1, run: 3 })];
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
      const sender = await startWorker(brokers, topic, {});
      await recorder.send({ app: sender }, topic);
      await until(
        () => `the effect of a process with exit code ${child.exitCode}, which has printed:\n${printed}`,
        () => printed.includes('effect {"number":0}\n'),
      );
      child.kill("SIGKILL");
      await exited;
      const next = await startWorker(brokers, topic, { recorder });
      expect(await recorder.sequences()).toEqual([[0, 1, 2]]);
      await Promise.all([next.stop(), sender.stop()]);
    },
    LIMIT_MS,
  );
});
