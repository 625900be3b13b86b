import { FrameworkError } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import type { Broker, BrokerAdapter, BrokerContext, Capabilities } from "@framework/messaging/adapter";
import { AdminClient } from "./client/admin-client.ts";
import { describeCluster } from "./client/describe-cluster.ts";
import { KafkaConsumer } from "./consumer/kafka-consumer.ts";
import { configProblems, KafkaConfig } from "./kafka-config.ts";
import { KafkaProducer } from "./producer/kafka-producer.ts";
import { declareTopics } from "./topology/declare-topics.ts";

/** Maximum bytes of headers, including the key. */
const MAX_HEADER_BYTES = 32_768;

const capabilitiesOf = ({ maxBatchBytes }: KafkaConfig): Capabilities => ({
  settlement: "cumulative",
  orders: ["key", "partition"],
  groups: true,
  maxDelayMs: 0,
  maxRetryDelayMs: 0,
  retryKeepsOrder: false,
  retryTopics: true,
  maxBodyBytes: maxBatchBytes - MAX_HEADER_BYTES - 8192, // 8 KiB for fields of batch and record
  maxHeaderBytes: MAX_HEADER_BYTES,
  envelope: { mode: "binary", prefix: "ce_" },
  patterns: true,
  privateTopics: false,
  replay: true,
  isInProcess: false,
});

/**
 * Creates an adapter for Apache Kafka, through kafkajs, such as for `app.messaging.addBroker("audit", kafkaBroker({ … }))`.
 *
 * @throws ConfigurationError CORE_BAD_CONFIG
 */
export const kafkaBroker = (config: ConfigInput<KafkaConfig> = {}): BrokerAdapter => {
  const checked = KafkaConfig.of(config);
  const [problem] = configProblems(checked);
  if (problem !== undefined) throw new FrameworkError("CORE_BAD_CONFIG", problem);
  return adapterOf(checked);
};

/** Returns the adapter for a checked configuration. */
export const adapterOf = (config: KafkaConfig): BrokerAdapter => ({
  name: "kafka",
  capabilities: capabilitiesOf(config),
  defaultGroup: config.groupId,
  servers: serversOf(config),
  open: (context) => openBroker(config, context),
});

const serversOf = ({ brokers, tls }: KafkaConfig): NonNullable<BrokerAdapter["servers"]> => {
  const hosts = typeof brokers === "string" ? brokers.split(",") : brokers;
  return hosts.map((host) => ({ host: host.trim(), protocol: tls === false ? "kafka" : "kafka-secure" }));
};

const openBroker = (config: KafkaConfig, { clock, random, log }: BrokerContext): Broker => {
  const admin = new AdminClient(config, log);
  const producer = new KafkaProducer(config, log);
  const closing = new AbortController();
  return {
    producer,
    consumer: (options) => new KafkaConsumer({ config, log, clock, random, admin, options }),
    topology: (spec, mode, signal = closing.signal) =>
      declareTopics({ admin, config, clock, signal: AbortSignal.any([signal, closing.signal]) }, spec, mode),
    health: (signal) => admin.use(describeCluster, signal),
    async close() {
      closing.abort();
      admin.close();
      await producer.close();
    },
  };
};
