import { createRequire } from "node:module";
import type { Admin, Kafka } from "kafkajs";
import { kafkajs } from "./client/kafkajs.ts";
import { until } from "./faults.test-kit.ts";

/** A client of the driver alone, whose failures are not logged. */
export const bareClient = (brokers: string): Kafka => {
  const { Kafka: Client, logLevel } = kafkajs();
  return new Client({ brokers: brokers.split(","), logLevel: logLevel.NOTHING });
};

const driver = createRequire(import.meta.url);

/** Has the driver reset the positions of a group once, as it does when its server answers that an offset is out of range. */
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

/** Once a group has shared its partitions anew, calls `meanwhile` and keeps the first position that a member asks for until a commit was taken. */
export const keepPosition = (group: string, meanwhile: () => void): (() => number) => {
  const { prototype } = driver("kafkajs/src/broker/index.js") as { prototype: DriverBroker };
  const { syncGroup, offsetFetch, offsetCommit } = prototype;
  const committed = Promise.withResolvers<void>();
  let [isShared, kept] = [false, 0];
  prototype.syncGroup = async function (request) {
    const answer = await syncGroup.call(this, request);
    isShared ||= request.groupId === group;
    return answer;
  };
  prototype.offsetFetch = async function (request) {
    const answer = await offsetFetch.call(this, request);
    if (request.groupId !== group || !isShared || kept > 0) return answer;
    kept++;
    meanwhile();
    await committed.promise;
    return answer;
  };
  prototype.offsetCommit = async function (request) {
    const answer = await offsetCommit.call(this, request);
    if (request.groupId === group && kept > 0) committed.resolve();
    return answer;
  };
  return () => kept;
};

/** Whether a group of the topic's name has committed all messages. The ends are asked for: a send that the driver repeats may be stored twice. */
export const isCommitted = async (admin: Admin, topic: string): Promise<boolean> => {
  // A broker that just made the topic anew answers for a moment that it does not host it.
  const ends = await admin.fetchTopicOffsets(topic).catch(() => []);
  const [found] = await admin.fetchOffsets({ groupId: topic, topics: [topic] }).catch(() => []);
  const committed = new Map(found?.partitions.map(({ partition, offset }) => [partition, offset]));
  const written = ends.filter(({ high }) => high !== "0");
  return written.length > 0 && written.every((end) => committed.get(end.partition) === end.high);
};

/** Creates a topic; the consumer, which looks for it, may have done so before. */
export const isThere = (admin: Admin, topic: string): Promise<boolean> =>
  isDone(admin.createTopics({ topics: [{ topic, numPartitions: 1 }] }));

export const isDone = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

export const isTrueWithin = (mostMs: number, holds: () => Promise<boolean>): Promise<boolean> =>
  isDone(until("it", holds, mostMs));

interface OfGroup {
  readonly groupId: string;
}

interface DriverBroker {
  syncGroup(this: DriverBroker, request: OfGroup): Promise<unknown>;
  offsetFetch(this: DriverBroker, request: OfGroup): Promise<unknown>;
  offsetCommit(this: DriverBroker, request: OfGroup): Promise<unknown>;
}
