import { createRequire } from "node:module";
import { expect, test } from "@jest/globals";
import type { Cluster } from "kafkajs";
import { kafkajs } from "../client/kafkajs.ts";
import { assignorOf } from "./assignor.ts";

const driver = createRequire(import.meta.url);
const DriverCluster = driver("kafkajs/src/cluster/index.js") as new (options: object) => Cluster & {
  readonly brokerPool: object;
};
const { parse } = driver("kafkajs/src/protocol/requests/metadata/v0/response.js") as {
  parse(data: Metadata): Promise<Metadata>;
};
const { createErrorFromCode } = driver("kafkajs/src/protocol/error.js") as {
  createErrorFromCode(code: number): Error;
};
const { KafkaJSConnectionClosedError, KafkaJSRequestTimeoutError } = driver(
  "kafkajs/src/errors.js",
) as Record<string, new (...values: unknown[]) => Error>;

interface Metadata {
  readonly brokers: readonly object[];
  readonly topicMetadata: readonly object[];
}

const UNKNOWN_TOPIC = 3;
const LEADER_NOT_AVAILABLE = 5;
const TOPIC_AUTHORIZATION_FAILED = 29;

const silent = { namespace: () => silent, debug() {}, info() {}, warn() {}, error() {} };

/** Creates a cluster of kafkajs with a fake server, whose topics have two partitions. */
const createCluster = (existing: readonly string[]) => {
  const topics = new Set(existing);
  const leaderless = new Set<string>();
  /** Errors of the next requests for a topic. */
  const faults: { readonly topic: string; readonly error: Error }[] = [];
  let gate = Promise.resolve();
  const topicMetadata = (topic: string): object => ({
    topic,
    topicErrorCode: topics.has(topic) ? 0 : UNKNOWN_TOPIC,
    partitionMetadata: [1, 0].map((partitionId) => {
      const isLed = partitionId === 0 || !leaderless.has(topic);
      return { partitionId, leader: isLed ? 1 : -1, partitionErrorCode: isLed ? 0 : LEADER_NOT_AVAILABLE };
    }),
  });
  const metadata = async (requested: readonly string[]): Promise<Metadata> => {
    await gate;
    const at = faults.findIndex(({ topic }) => requested.includes(topic));
    if (at >= 0) throw faults.splice(at, 1)[0]?.error;
    return await parse({ brokers: [], topicMetadata: requested.map(topicMetadata) });
  };
  const retry = { retries: 1, initialRetryTime: 1, maxRetryTime: 1 };
  const cluster = new DriverCluster({ logger: silent, brokers: ["127.0.0.1:1"], retry });
  Object.assign(cluster.brokerPool, {
    seedBroker: { connectionPool: {} },
    findConnectedBroker: async () => ({ metadata }),
  });
  return { cluster, topics, leaderless, faults, respondAfter: (until: Promise<void>) => void (gate = until) };
};

const { MemberAssignment, MemberMetadata } = kafkajs().AssignerProtocol;

/** Assigns like the leader of a group. Returns the partitions by member. */
const assign = async (cluster: Cluster, members: Readonly<Record<string, readonly string[]>>) => {
  const assigner = assignorOf({ held: () => ({}), onJoin() {} })({ cluster } as never);
  await cluster.refreshMetadata();
  const claims = Object.entries(members).map(([memberId, topics]) => ({
    memberId,
    memberMetadata: MemberMetadata.encode({ version: 1, topics: [...topics], userData: Buffer.alloc(0) }),
  }));
  const assigned = await assigner.assign({ members: claims, topics: [...(members["leader"] ?? [])] });
  return Object.fromEntries(
    assigned.map(({ memberId, memberAssignment }) => [
      memberId,
      MemberAssignment.decode(memberAssignment)?.assignment,
    ]),
  );
};

const members = { leader: ["books"], other: ["orders"] };
const all = { leader: { books: [0, 1] }, other: { orders: [0, 1] } };

test("a topic that does not exist is skipped, and the others are assigned", async () => {
  const { cluster, topics } = createCluster(["books", "payments"]);
  await cluster.addMultipleTargetTopics(["books"]);
  const third = { ...members, third: ["payments"] };
  const assigned = { leader: { books: [0, 1] }, other: { orders: [] }, third: { payments: [0, 1] } };
  expect(await assign(cluster, third)).toEqual(assigned);
  topics.add("orders");
  expect(await assign(cluster, third)).toEqual({ ...assigned, other: { orders: [0, 1] } });
});

test.each([
  ["a request that times out", new KafkaJSRequestTimeoutError!("timeout", { broker: "a" }), 1],
  ["a connection that is closed", new KafkaJSConnectionClosedError!("closed", { host: "a", port: 1 }), 1],
  ["a topic without Describe permission", createErrorFromCode(TOPIC_AUTHORIZATION_FAILED), 1],
  ["a partition without a leader", createErrorFromCode(LEADER_NOT_AVAILABLE), 2],
])("%s fails the assignment, and a retry assigns every topic", async (_name, error, times) => {
  const { cluster, faults } = createCluster(["books", "orders"]);
  await cluster.addMultipleTargetTopics(["books"]);
  for (let time = 0; time < times; time++) faults.push({ topic: "orders", error });
  await expect(assign(cluster, members)).rejects.toThrow(error.message);
  expect(await assign(cluster, members)).toEqual(all);
});

test("a topic is not assigned partially while one of its partitions has no leader", async () => {
  const { cluster, leaderless } = createCluster(["books", "orders"]);
  await cluster.addMultipleTargetTopics(["books"]);
  leaderless.add("orders");
  await expect(assign(cluster, members)).rejects.toThrow("no leader");
  leaderless.clear();
  expect(await assign(cluster, members)).toEqual(all);
});

test("the deletion of a topic does not make the leader skip another topic", async () => {
  const { cluster, topics } = createCluster(["books", "orders"]);
  await cluster.addMultipleTargetTopics(["books"]);
  const refresh = cluster.refreshMetadata.bind(cluster);
  let calls = 0;
  cluster.refreshMetadata = async () => {
    await refresh();
    if (++calls === 1) topics.delete("books"); // right after the leader has refreshed its topics
  };
  await expect(assign(cluster, members)).rejects.toThrow("does not host");
});

test("a pending metadata request for other topics does not make the leader skip a topic", async () => {
  const { cluster, respondAfter } = createCluster(["books", "orders"]);
  await cluster.addMultipleTargetTopics(["books"]);
  await cluster.refreshMetadata();
  const response = Promise.withResolvers<void>();
  respondAfter(response.promise);
  const pending = cluster.refreshMetadata();
  const refreshed = cluster.refreshMetadata.bind(cluster);
  let calls = 0;
  // The leader has already refreshed.
  cluster.refreshMetadata = async () => (++calls === 1 ? undefined : await refreshed());
  const assigned = assign(cluster, members);
  setImmediate(response.resolve);
  await pending;
  expect(await assigned).toEqual(all);
});
