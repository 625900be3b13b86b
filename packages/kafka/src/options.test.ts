import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { KafkaConfig } from "./index.ts";

const oneFetch = ["bounded-memory.int.test", "a process holds its prefetch and one fetch"] as const;
const security = ["security.int.test", "messages are sent and received over TLS"] as const;
const codecs = ["kafka.int.test", "gzip, zstd and snappy are read from other clients"] as const;

/** The test in which each option changes behaviour: its file, and its name. */
const tests: Readonly<Record<keyof KafkaConfig, readonly [file: string, name: string]>> = {
  brokers: ["kafka.test", "a second broker has a name"],
  groupId: ["kafka.test", "an app starts while Kafka is away"],
  clientId: ["members.int.test", "a process that joins a group again and does not learn its share"],
  sasl: security,
  tls: security,
  sessionTimeoutMs: ["kafka.int.test", "a handler that runs longer than the session keeps its partition"],
  rebalanceTimeoutMs: ["members.int.test", "a process that joins a group again and does not learn its share"],
  connectTimeoutMs: ["kafka.test", "is left at connectTimeoutMs"],
  requestTimeoutMs: ["faults.int.test", "ends at requestTimeoutMs"],
  maxBatchBytes: oneFetch,
  maxFetchBytes: oneFetch,
  compression: codecs,
  codecs,
  partitions: ["kafka.int.test", "in the partition that other clients choose for its key"],
  replicas: ["kafka.int.test", "a topic with more replicas than there are servers is not created"],
  metadataMs: ["kafka.int.test", "a subscription to a pattern gets topics that are created later"],
};

test("every option changes behaviour in a test", () => {
  expect(Object.keys(tests).toSorted()).toEqual(Object.keys(KafkaConfig.of()).toSorted());
  for (const [option, [file, name]] of Object.entries(tests)) {
    const source = readFileSync(new URL(`./${file}.ts`, import.meta.url), "utf8");
    expect([option, source.includes(name), source.includes(option)]).toEqual([option, true, true]);
  }
});
