import { randomUUID } from "node:crypto";
import { TestProcess } from "@framework/messaging/testing";
import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { kafkajs } from "./client/kafkajs.ts";
import { until } from "./faults.test-kit.ts";
import { kafkaBroker } from "./index.ts";

const LIMIT_MS = 180_000;

withServer("kafka", (brokers) => {
  const { Kafka, logLevel, Partitioners } = kafkajs();
  /** A client without the framework. */
  const bare = new Kafka({ brokers: brokers.split(","), logLevel: logLevel.NOTHING });

  const processOf = (prefix: string): TestProcess =>
    new TestProcess(kafkaBroker({ brokers, partitions: 1, sessionTimeoutMs: 6000 }), prefix);

  test.concurrent(
    "transaction markers and aborted messages are not overdue",
    async () => {
      await using process = processOf(`t${randomUUID().slice(0, 8)}`);
      await process.declare();
      const { got, done, consumer } = await process.consume();
      const producer = bare.producer({
        transactionalId: process.topic,
        maxInFlightRequests: 1,
        idempotent: true,
        createPartitioner: Partitioners.DefaultPartitioner,
      });
      await producer.connect();
      const committed = await producer.transaction();
      await committed.send({ topic: process.topic, messages: [{ key: "k", value: "1" }] });
      await committed.commit();
      const aborted = await producer.transaction();
      await aborted.send({ topic: process.topic, messages: [{ key: "k", value: "2" }] });
      await aborted.abort();
      await producer.disconnect();
      await done(...(await got(1)));
      await until("offsets that stay uncommitted", async () => (await consumer.lag()) === 3);
      await until("none overdue", async () => (await consumer.overdue()) === 0);
      expect(await consumer.lag()).toBe(3);
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a member without a partition has no overdue messages",
    async () => {
      const prefix = `t${randomUUID().slice(0, 8)}`;
      await using one = processOf(prefix);
      await using other = processOf(prefix);
      await one.declare();
      const consumers = [await one.consume({ room: 0 }), await other.consume({ room: 0 })];
      await one.send({ body: "1" }, { body: "2" });
      const counts = async (): Promise<readonly number[]> =>
        await Promise.all(consumers.map(({ consumer }) => consumer.overdue()));
      await until("the messages of the one member", async () => (await counts()).includes(2));
      expect((await counts()).toSorted((a, b) => a - b)).toEqual([0, 2]);
    },
    LIMIT_MS,
  );
});
