import { FrameworkError } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import {
  type Broker,
  type BrokerAdapter,
  type BrokerContext,
  type Capabilities,
  type Settlement,
  untilAborted,
} from "@framework/messaging/adapter";
import { Link } from "./connection/link.ts";
import { unavailable } from "./connection/server-error.ts";
import { withChannel } from "./connection/with-channel.ts";
import { RabbitMQConsumer } from "./consume/rabbitmq-consumer.ts";
import type { RabbitMQDelivery } from "./consume/rabbitmq-delivery.ts";
import { configProblems, RabbitMQConfig } from "./rabbitmq-config.ts";
import { publicationOf } from "./send/publication.ts";
import { Publisher } from "./send/publisher.ts";
import { RabbitMQProducer } from "./send/rabbitmq-producer.ts";
import { PREFIX } from "./send/wire-headers.ts";
import { DelayQueues } from "./topology/delay-queues.ts";
import { RabbitMQTopology } from "./topology/topology.ts";

/** Longest delay: 7 days. */
const MAX_DELAY_MS = 604_800_000;
/** Time limit for storing the copy of a retried message. */
const COPY_MS = 30_000;

/** Maximum bytes of headers: amqplib writes at most 64 KiB including field overhead, and copies have additional headers. */
const MAX_HEADER_BYTES = 61_440;

const capabilitiesOf = ({ delayQueues }: RabbitMQConfig): Capabilities => ({
  settlement: "each",
  orders: ["key", "partition"],
  groups: true,
  maxDelayMs: delayQueues ? MAX_DELAY_MS : 0,
  maxRetryDelayMs: delayQueues ? MAX_DELAY_MS : 0,
  retryKeepsOrder: false,
  retryTopics: false,
  maxBodyBytes: 16_777_216,
  maxHeaderBytes: MAX_HEADER_BYTES,
  envelope: { mode: "binary", prefix: PREFIX },
  patterns: false,
  privateTopics: true,
  replay: false,
  isInProcess: false,
});

/**
 * Creates an adapter for RabbitMQ, for `enableMessaging({ broker: rabbitmqBroker({ url }) })` or `app.messaging.addBroker`.
 *
 * @throws ConfigurationError CORE_BAD_CONFIG
 */
export const rabbitmqBroker = (config: ConfigInput<RabbitMQConfig> = {}): BrokerAdapter => {
  const checked = RabbitMQConfig.of(config);
  const [problem] = configProblems(checked);
  if (problem !== undefined) throw new FrameworkError("CORE_BAD_CONFIG", problem);
  return adapterOf(checked);
};

/** Returns the adapter for a checked configuration. */
export const adapterOf = (config: RabbitMQConfig): BrokerAdapter => ({
  name: "rabbitmq",
  capabilities: capabilitiesOf(config),
  servers: [serverOf(config)],
  open: (context) => openBroker(config, context),
});

/** Returns the address without user and password. */
const serverOf = ({ url }: RabbitMQConfig): { readonly host: string; readonly protocol: string } => {
  const { host, protocol } = new URL(url);
  return { host, protocol: protocol.slice(0, -1) };
};

const openBroker = (config: RabbitMQConfig, { clock, random, log, name }: BrokerContext): Broker => {
  const links: Link[] = [];
  const onOpened = (): void => {
    for (const each of links) each.skipBackoff();
  };
  const link = (purpose: string): Link => {
    const created = new Link({ config, clock, random, log, purpose: `${name} ${purpose}`, onOpened });
    links.push(created);
    return created;
  };
  const sending = link("sending"); // separate, because an alarm blocks publishers but must not block acknowledgements
  const consuming = link("consuming");
  const topology = new RabbitMQTopology(consuming, config.deliveryLimit);
  const redeclare = (): Promise<void> => topology.redeclare();
  const delays = new DelayQueues(clock);
  const publisher = new Publisher({ link: sending, clock, random, log, delays, redeclare });
  const copy = (
    delivery: RabbitMQDelivery,
    queue: string,
    { delayMs, tries }: Extract<Settlement, { action: "retry" }>,
  ): Promise<void> => {
    const { topic, headers, key, body, original, id = "" } = delivery;
    const message = { topic, headers, key, body, original, delayMs, id };
    const publication = publicationOf(
      message,
      { exchange: "", routingKey: queue },
      { date: clock.date(), tries },
    );
    return publisher.publish(publication, AbortSignal.timeout(COPY_MS));
  };
  return {
    producer: new RabbitMQProducer(publisher, clock),
    consumer: (options) =>
      new RabbitMQConsumer({ link: consuming, config, clock, random, log, redeclare, copy }, options),
    topology: (spec, mode) => topology.apply(spec, mode),
    async health(signal) {
      const response = withChannel(consuming, (channel) => channel.checkExchange("amq.fanout"));
      // No request on the sending connection: the server does not read blocked connections.
      const both = Promise.all([response, sending.isUsed ? sending.open() : null]);
      both.catch(() => {}); // may reject after this has returned
      for (const [purpose, { problem }] of [
        ["consuming", consuming],
        ["sending", sending],
      ] as const)
        if (problem !== null) throw unavailable(`the connection for ${purpose} is unavailable: ${problem}`);
      await untilAborted(both, signal);
      const { blockedReason } = sending;
      return { server: versionOf(consuming), ...(blockedReason === null ? {} : { blocked: blockedReason }) };
    },
    async close() {
      await Promise.all([sending.close(), consuming.close()]);
    },
  };
};

const versionOf = ({ model }: Link): string =>
  String(model?.connection.serverProperties.version ?? "unknown");
