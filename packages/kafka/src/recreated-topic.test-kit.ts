import { createRequire } from "node:module";
import type { Admin, Kafka } from "kafkajs";
import { kafkajs } from "./client/kafkajs.ts";
import { until } from "./faults.test-kit.ts";

/** Creates a kafkajs client without logging. */
export const bareClient = (brokers: string): Kafka => {
  const { Kafka: Client, logLevel } = kafkajs();
  return new Client({ brokers: brokers.split(","), logLevel: logLevel.NOTHING });
};

const driver = createRequire(import.meta.url);

/** Makes kafkajs reset the position of a group once, as after the server's error that an offset is out of range. */
export const resetOnce = (group: string): void => {
  const { prototype } = driver("kafkajs/src/consumer/consumerGroup.js") as { prototype: DriverGroup };
  const { fetch } = prototype;
  let isReset = false;
  prototype.fetch = async function (nodeId) {
    if (this.groupId === group && !isReset) {
      isReset = true;
      await this.recoverFromOffsetOutOfRange({ topic: group, partition: 0 });
    }
    return await fetch.call(this, nodeId);
  };
};

interface DriverGroup {
  readonly groupId: string;
  fetch(this: DriverGroup, nodeId: unknown): Promise<unknown>;
  recoverFromOffsetOutOfRange(place: { readonly topic: string; readonly partition: number }): Promise<void>;
}

/** After the next rebalance of a group, delays the response with the first fetched position until a commit, and calls `onDelay`. */
export const delayPosition = (group: string, onDelay: () => void): (() => number) => {
  const { prototype } = driver("kafkajs/src/broker/index.js") as { prototype: DriverBroker };
  const { syncGroup, offsetFetch, offsetCommit } = prototype;
  const committed = Promise.withResolvers<void>();
  let [hasSynced, delayed] = [false, 0];
  prototype.syncGroup = async function (request) {
    const response = await syncGroup.call(this, request);
    hasSynced ||= request.groupId === group;
    return response;
  };
  prototype.offsetFetch = async function (request) {
    const response = await offsetFetch.call(this, request);
    if (request.groupId !== group || !hasSynced || delayed > 0) return response;
    delayed++;
    onDelay();
    await committed.promise;
    return response;
  };
  prototype.offsetCommit = async function (request) {
    const response = await offsetCommit.call(this, request);
    if (request.groupId === group && delayed > 0) committed.resolve();
    return response;
  };
  return () => delayed;
};

/** Whether a group with the topic's name has committed all messages. Compares with the end offsets, because a send that kafkajs repeats may be stored twice. */
export const isCommitted = async (admin: Admin, topic: string): Promise<boolean> => {
  // A broker that has just recreated the topic may respond that it does not host it.
  const ends = await admin.fetchTopicOffsets(topic).catch(() => []);
  const [found] = await admin.fetchOffsets({ groupId: topic, topics: [topic] }).catch(() => []);
  const committed = new Map(found?.partitions.map(({ partition, offset }) => [partition, offset]));
  const written = ends.filter(({ high }) => high !== "0");
  return written.length > 0 && written.every((end) => committed.get(end.partition) === end.high);
};

/** Creates a topic. Returns whether the request succeeded; for an existing topic it also succeeds. */
export const createTopic = (admin: Admin, topic: string): Promise<boolean> =>
  isDone(admin.createTopics({ topics: [{ topic, numPartitions: 1 }] }));

export const isDone = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

export const isTrueWithin = (maxMs: number, isTrue: () => Promise<boolean>): Promise<boolean> =>
  isDone(until("the condition", isTrue, maxMs));

interface GroupRequest {
  readonly groupId: string;
}

interface DriverBroker {
  syncGroup(this: DriverBroker, request: GroupRequest): Promise<unknown>;
  offsetFetch(this: DriverBroker, request: GroupRequest): Promise<unknown>;
  offsetCommit(this: DriverBroker, request: GroupRequest): Promise<unknown>;
}
