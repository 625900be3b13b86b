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

/** Configuration of RabbitMQ. */
export interface RabbitMQConfig {
  /** `amqp://user:password@host:port/vhost`, `amqps://` for TLS. @default "amqp://localhost" */
  readonly url: string;
  /**
   * Maximum unsettled deliveries of a subscription in one process, which also limits its concurrent handlers; 1 to 10,000. With batches, at least twice the batch
   * size. With `order: "key"` the messages of a key that waits for a delayed try may use it up, and block other keys: set it, and the subscription's `prefetch`, above
   * the number of messages that one key receives meanwhile.
   * @default 10
   */
  readonly prefetchCount: number;
  /** Certificate authorities of the server's certificate, in PEM format; not a file name. Needs `amqps://`. @default the authorities of Node */
  readonly ca: string | undefined;
  /** Interval of heartbeats in seconds, 1 to 600; a connection that is silent for twice as long is replaced. @default 10 */
  readonly heartbeatSecs: number;
  /** Time limit of connecting in milliseconds, 10 to 600,000. @default 10000 */
  readonly connectionTimeoutMs: number;
  /**
   * Number of requeues after which the server makes a message a dead letter, such as when each process dies or stops before settling it; 2 to 1,000,000. Must be
   * greater than the tries of every subscription. @default 50
   */
  readonly deliveryLimit: number;
  /** The server's `consumer_timeout` in milliseconds, at least 1,000: it closes the channel of a delivery that is unsettled for longer. @default 1800000 */
  readonly consumerTimeoutMs: number;
  /**
   * Whether delayed messages and retries wait in queues at the server, which are created on first use; otherwise the process holds them.
   * @default true
   */
  readonly delayQueues: boolean;
}

const isUrl = (value: unknown): boolean =>
  typeof value === "string" && /^amqps?:\/\/./.test(value) && URL.canParse(value);

/** Checks a configuration of RabbitMQ and adds the defaults. */
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

/** Returns problems that the checks of single fields do not find. */
export const configProblems = ({ url, ca }: RabbitMQConfig): readonly string[] =>
  ca !== undefined && new URL(url).protocol !== "amqps:"
    ? ["RabbitMQConfig.ca needs a url with amqps://; with amqp:// the connection has no TLS"]
    : [];
