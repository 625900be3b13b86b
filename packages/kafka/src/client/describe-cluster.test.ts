import { createRequire } from "node:module";
import { expect, test } from "@jest/globals";
import { describeCluster } from "./describe-cluster.ts";

const { KafkaJSProtocolError, KafkaJSNumberOfRetriesExceeded } = createRequire(import.meta.url)(
  "kafkajs/src/errors.js",
) as Record<string, new (...values: unknown[]) => Error>;

const failWith = (type: string) => ({
  describeCluster: async () => {
    const error = new KafkaJSProtocolError!({ type, message: type, code: 5, retriable: true });
    throw new KafkaJSNumberOfRetriesExceeded!(error, { retryCount: 2, retryTime: 1 });
  },
});

test("a cluster with a leaderless topic is healthy with a warning, and other protocol errors fail", async () => {
  expect(await describeCluster(failWith("LEADER_NOT_AVAILABLE"))).toEqual({
    warning: "some partitions of the cluster have no leader",
  });
  await expect(describeCluster(failWith("CLUSTER_AUTHORIZATION_FAILED"))).rejects.toThrow("CLUSTER");
});

test("a cluster whose brokers all fail is reported as unresponsive", async () => {
  const lost = { describeCluster: async () => (null as never)["brokers"] as never };
  await expect(describeCluster(lost)).rejects.toThrow("no broker of the cluster responded");
});
