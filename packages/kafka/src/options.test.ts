import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { KafkaConfig } from "./index.ts";

const oneFetch = ["bounded-memory.int.test", "a process holds only its prefetch and one fetch"] as const;
const security = ["security.int.test", "messages are sent and received over TLS"] as const;
const codecs = ["kafka.int.test", "reads gzip, zstd and snappy of other clients"] as const;

/** File and name of the test in which each option changes behaviour. */
const tests: Readonly<Record<keyof KafkaConfig, readonly [file: string, name: string]>> = {
  brokers: ["kafka.test", "a second broker is added by name"],
  groupId: ["kafka.test", "an app starts and stops while Kafka is unavailable"],
  clientId: ["members.int.test", "a process whose sync fails after a rebalance"],
  sasl: security,
  tls: security,
  sessionTimeoutMs: ["kafka.int.test", "a handler that runs longer than the session keeps its partition"],
  rebalanceTimeoutMs: ["members.int.test", "a process whose sync fails after a rebalance"],
  connectTimeoutMs: ["kafka.test", "fails at connectTimeoutMs"],
  requestTimeoutMs: ["faults.int.test", "ends at requestTimeoutMs"],
  maxBatchBytes: oneFetch,
  maxFetchBytes: oneFetch,
  compression: codecs,
  codecs,
  partitions: ["kafka.int.test", "in the partition that other clients choose for its key"],
  replicas: ["kafka.int.test", "a topic with more replicas than servers is not created"],
  metadataMs: ["kafka.int.test", "a pattern subscription includes topics that are created later"],
};

test("every option names a test of its effect", () => {
  expect(Object.keys(tests).toSorted()).toEqual(Object.keys(KafkaConfig.of()).toSorted());
  for (const [option, [file, name]] of Object.entries(tests)) {
    const source = readFileSync(new URL(`./${file}.ts`, import.meta.url), "utf8");
    expect([option, source.includes(name), source.includes(option)]).toEqual([option, true, true]);
  }
});
