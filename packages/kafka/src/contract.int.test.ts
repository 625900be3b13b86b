import { randomUUID } from "node:crypto";
import { brokerContract } from "@framework/messaging/testing";
import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { kafkajs } from "./client/kafkajs.ts";
import { kafkaBroker } from "./index.ts";

withServer("kafka", (brokers) => {
  const { Kafka, logLevel } = kafkajs();
  const bare = new Kafka({ brokers: brokers.split(","), logLevel: logLevel.NOTHING });
  /** Deletes topics after the suite: the server keeps data of each partition in memory, and six suites would fill its heap. */
  const deleteTopics = async (prefix: string): Promise<void> => {
    const admin = bare.admin();
    await admin.connect();
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
    await admin.deleteTopics({ topics });
    await admin.disconnect();
  };

  brokerContract(test.concurrent, () => {
    const prefix = `t${randomUUID().slice(0, 8)}`;
    return {
      adapter: () => kafkaBroker({ brokers, partitions: 3, sessionTimeoutMs: 6000 }),
      prefix,
      close: () => deleteTopics(prefix),
    };
  });
});
