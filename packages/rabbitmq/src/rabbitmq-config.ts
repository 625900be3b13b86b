import {
  checked,
  type ConfigRecord,
  configRecord,
  flag,
  integer,
  optional,
  secret,
  text,
} from "@framework/core/feature";

/** Address and limits of RabbitMQ. */
export interface RabbitMQConfig {
  /** `amqp://user:password@host:port/vhost`, `amqps://` for TLS. @default "amqp://localhost" */
  readonly url: string;
  /**
   * Most unsettled deliveries of one consumer, so also its most handlers at a time; 1 to 10,000. A subscription with batches has at least two of them.
   * With `order: "key"` a key that waits for a delayed try fills it with its own messages, and the other keys wait: set it, and the subscription's `prefetch`,
   * above the messages that one key gets meanwhile.
   * @default 10
   */
  readonly prefetchCount: number;
  /** Authorities that may have issued the server's certificate, PEM (the text, not a file name). @default those of Node */
  readonly ca: string | undefined;
  /** Seconds between heartbeats; a connection that is silent for twice as long is replaced; 1 to 600. @default 10 */
  readonly heartbeatSecs: number;
  /** Time limit of connecting in milliseconds, 10 to 600,000. @default 10000 */
  readonly connectionTimeoutMs: number;
  /**
   * How often the server delivers a message that is never settled, because its process dies or closes, before it is a dead letter; 2 to 1,000,000. Must be
   * above the tries of every subscription. @default 50
   */
  readonly deliveryLimit: number;
  /** The server's `consumer_timeout` in milliseconds: later acknowledgements make it close the channel; at least 1,000. @default 1800000 */
  readonly consumerTimeoutMs: number;
  /**
   * Whether delayed messages and retries wait in queues at the server, which are created when first used; without, they wait in the process.
   * @default true
   */
  readonly delayQueues: boolean;
}

const isUrl = (value: unknown): boolean =>
  typeof value === "string" && /^amqps?:\/\/./.test(value) && URL.canParse(value);

export const RabbitMQConfig: ConfigRecord<RabbitMQConfig> = configRecord("RabbitMQConfig", {
  url: secret(checked("amqp://localhost", "amqp://host:port/vhost, or amqps:// for TLS", isUrl)),
  prefetchCount: integer(10, { min: 1, max: 10_000 }),
  ca: optional(text("")),
  heartbeatSecs: integer(10, { min: 1, max: 600 }),
  connectionTimeoutMs: integer(10_000, { min: 10, max: 600_000 }),
  deliveryLimit: integer(50, { min: 2, max: 1_000_000 }),
  consumerTimeoutMs: integer(1_800_000, { min: 1000 }),
  delayQueues: flag(true),
});
