import { FrameworkError } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import {
  type Broker,
  type BrokerAdapter,
  type BrokerContext,
  type Capabilities,
  untilAborted,
} from "@framework/messaging/adapter";
import { SqsApi } from "./client/sqs-api.ts";
import { SqsConsumer } from "./consume/sqs-consumer.ts";
import { KnownQueues } from "./queues/known-queues.ts";
import { SqsTopology } from "./queues/sqs-topology.ts";
import { MAX_DELAY_MS } from "./send/queue-entry.ts";
import { SqsProducer } from "./send/sqs-producer.ts";
import { configProblems, SqsConfig } from "./sqs-config.ts";

/** Maximum bytes of headers. Stored as ASCII JSON, where characters outside ASCII take up to three times their UTF-8 bytes. */
const MAX_HEADER_BYTES = 16_384;

const capabilitiesOf = ({ messageSizeBytes }: SqsConfig): Capabilities => ({
  settlement: "each",
  orders: ["key"],
  groups: true,
  maxDelayMs: MAX_DELAY_MS,
  maxRetryDelayMs: MAX_DELAY_MS,
  retryKeepsOrder: false,
  retryTopics: false,
  maxBodyBytes: messageSizeBytes - 3 * MAX_HEADER_BYTES,
  maxHeaderBytes: MAX_HEADER_BYTES,
  envelope: { mode: "structured" },
  patterns: false,
  privateTopics: false,
  replay: false,
  isInProcess: false,
});

/**
 * Creates an adapter for Amazon SQS, for `enableMessaging({ broker: sqsBroker({ region }) })` or `app.messaging.addBroker`.
 *
 * @throws CORE_BAD_CONFIG
 */
export const sqsBroker = (config: ConfigInput<SqsConfig> = {}): BrokerAdapter => {
  const checked = SqsConfig.of(config);
  const [problem] = configProblems(checked);
  if (problem !== undefined) throw new FrameworkError("CORE_BAD_CONFIG", problem);
  return adapterOf(checked);
};

/** Returns the adapter for a checked configuration. */
export const adapterOf = (config: SqsConfig): BrokerAdapter => ({
  name: "sqs",
  capabilities: capabilitiesOf(config),
  servers: [{ host: hostOf(config), protocol: "sqs" }],
  open: (context) => openBroker(config, context),
});

/** Returns `host:port` of the endpoint, or the host of the region. */
const hostOf = ({ endpointUrl, region }: SqsConfig): string =>
  endpointUrl === undefined
    ? `sqs.${region}.${domainOf(region)}`
    : (URL.parse(endpointUrl)?.host ?? endpointUrl);

const domainOf = (region: string): string =>
  region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";

const openBroker = (config: SqsConfig, { clock, random, log }: BrokerContext): Broker => {
  const api = new SqsApi(config, clock);
  const queues = new KnownQueues({ api, clock, config });
  const topology = new SqsTopology({ api, queues, config, log });
  const recreate = (): Promise<void> => topology.recreate();
  return {
    producer: new SqsProducer({ api, queues, clock, messageSizeBytes: config.messageSizeBytes }),
    consumer: (options) => new SqsConsumer({ api, queues, config, clock, random, log, recreate }, options),
    topology: (spec, mode) => topology.apply(spec, mode),
    async health(signal) {
      const { queueUrl, region } = config;
      const response: Promise<unknown> =
        queueUrl === "" ? api.list("", { limit: 1 }) : api.attributes(queueUrl, "QueueArn");
      await untilAborted(response, signal);
      return { region };
    },
    async close() {
      api.close();
    },
  };
};
