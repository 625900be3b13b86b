import type { ConnectionOptions } from "node:tls";
import {
  checked,
  type ConfigRecord,
  configRecord,
  integer,
  oneOf,
  optional,
  secret,
  text,
} from "@framework/core/feature";

/** Compresses and decompresses batches of messages. */
export interface KafkaCodec {
  /** Returns the compressed bytes. */
  compress(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** Returns the original bytes. @throws if the bytes are not valid for this codec */
  decompress(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** Codecs that Node does not have. */
export interface KafkaCodecs {
  /** Snappy codec of raw blocks; frames of the Java client are unpacked first. */
  readonly snappy?: KafkaCodec | undefined;
  /** LZ4 codec of frames. */
  readonly lz4?: KafkaCodec | undefined;
}

/** Compression of batches. */
export type KafkaCompression = "none" | "gzip" | "snappy" | "lz4" | "zstd";

/** SASL credentials. */
export type KafkaSasl =
  | {
      readonly mechanism: "plain" | "scram-sha-256" | "scram-sha-512";
      readonly username: string;
      readonly password: string;
    }
  | {
      readonly mechanism: "oauthbearer";
      /** Resolves with a token; called for each connection. */
      readonly oauthBearerProvider: () => Promise<{ readonly value: string }>;
    };

/** Configuration of Kafka for `enableMessaging`, which accepts the options of `MessagingConfig` (`topology`, `drainMs` …) in the same object. */
export interface KafkaConfig {
  /** Addresses of bootstrap servers, `host:port`: a list or a comma-separated string. @default ["localhost:9092"] */
  readonly brokers: string | readonly string[];
  /** Default group of subscriptions. @default "framework-service" */
  readonly groupId: string;
  /** Name of this program in the logs and quotas of the servers. @default "framework" */
  readonly clientId: string;
  /** SASL credentials. @default none */
  readonly sasl: KafkaSasl | undefined;
  /** TLS: `true`, or options of `tls.connect` such as `ca`, `cert`, `key`. Certificates are verified. @default false */
  readonly tls: boolean | ConnectionOptions;
  /** Milliseconds without a heartbeat after which a process loses its partitions; 6,000 to 1,800,000. @default 30000 */
  readonly sessionTimeoutMs: number;
  /** Time in milliseconds in which processes must rejoin during a rebalance; 1,000 to 1,800,000. @default 60000 */
  readonly rebalanceTimeoutMs: number;
  /** Timeout of connecting and of authenticating, in milliseconds; 100 to 600,000. @default 5000 */
  readonly connectTimeoutMs: number;
  /** Timeout of a request in milliseconds; 1,000 to 600,000. @default 30000 */
  readonly requestTimeoutMs: number;
  /** Largest batch that the topics accept, in bytes (`max.message.bytes`); 65,536 to 16 MiB. @default 1048576 */
  readonly maxBatchBytes: number;
  /** Maximum bytes of one partition in a fetch, compressed if the batches are; 65,536 to 16 MiB. A larger batch is fetched whole. @default 1048576 */
  readonly maxFetchBytes: number;
  /** Compression of sent batches. @default "none" */
  readonly compression: KafkaCompression;
  /** Codecs for `snappy` and `lz4`, which Node does not have; registered for the whole process. @default {} */
  readonly codecs: KafkaCodecs;
  /** Partitions of created topics; 1 to 10,000. @default 6 */
  readonly partitions: number;
  /** Replication factor of created topics; -1 for the server's default. @default -1 */
  readonly replicas: number;
  /** Interval of checks for new topics of patterns and for new partitions, in milliseconds; 100 to 3,600,000. @default 60000 */
  readonly metadataMs: number;
}

const isAddress = (value: unknown): boolean =>
  typeof value === "string" && /^[^\s:/]+:\d{1,5}$|^\[[\da-f:]+\]:\d{1,5}$/i.test(value.trim());

const isBrokers = (value: unknown): boolean => {
  const list: unknown = typeof value === "string" ? value.split(",") : value;
  return Array.isArray(list) && list.length > 0 && list.every(isAddress);
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const isSasl = (value: unknown): boolean => {
  if (!isObject(value)) return false;
  const { mechanism, username, password, oauthBearerProvider } = value;
  if (mechanism === "oauthbearer") return typeof oauthBearerProvider === "function";
  return (
    ["plain", "scram-sha-256", "scram-sha-512"].includes(mechanism as string) &&
    typeof username === "string" &&
    typeof password === "string"
  );
};

const isCodec = (value: unknown): boolean =>
  isObject(value) && typeof value["compress"] === "function" && typeof value["decompress"] === "function";

const isCodecs = (value: unknown): boolean =>
  isObject(value) &&
  Object.entries(value).every(
    ([name, codec]) => ["snappy", "lz4"].includes(name) && (codec === undefined || isCodec(codec)),
  );

/** Checks a configuration of Kafka and adds the defaults. */
export const KafkaConfig: ConfigRecord<KafkaConfig> = configRecord("KafkaConfig", {
  brokers: checked<KafkaConfig["brokers"]>(
    ["localhost:9092"],
    "a list of host:port, or a comma-separated string",
    isBrokers,
  ),
  groupId: text("framework-service"),
  clientId: text("framework"),
  sasl: secret(
    optional<KafkaSasl>({
      problem: (value) =>
        isSasl(value)
          ? null
          : 'must be { mechanism: "plain" | "scram-sha-256" | "scram-sha-512", username, password } or { mechanism: "oauthbearer", oauthBearerProvider }',
    }),
  ),
  tls: secret(
    checked<KafkaConfig["tls"]>(
      false,
      "true, false or options of tls.connect",
      (value) => typeof value === "boolean" || isObject(value),
    ),
  ),
  sessionTimeoutMs: integer(30_000, { min: 6000, max: 1_800_000 }),
  rebalanceTimeoutMs: integer(60_000, { min: 1000, max: 1_800_000 }),
  connectTimeoutMs: integer(5000, { min: 100, max: 600_000 }),
  requestTimeoutMs: integer(30_000, { min: 1000, max: 600_000 }),
  maxBatchBytes: integer(1_048_576, { min: 65_536, max: 16_777_216 }),
  maxFetchBytes: integer(1_048_576, { min: 65_536, max: 16_777_216 }),
  compression: oneOf<KafkaCompression>("none", ["none", "gzip", "snappy", "lz4", "zstd"]),
  codecs: checked<KafkaCodecs>({}, "{ snappy, lz4 } with `compress` and `decompress`", isCodecs),
  partitions: integer(6, { min: 1, max: 10_000 }),
  replicas: integer(-1, { min: -1, max: 100 }),
  metadataMs: integer(60_000, { min: 100, max: 3_600_000 }),
});

/** Returns problems that the checks of single fields do not find. */
export const configProblems = ({ compression, codecs, replicas }: KafkaConfig): readonly string[] => [
  ...((compression === "snappy" || compression === "lz4") && codecs[compression] === undefined
    ? [
        `KafkaConfig.compression is "${compression}", which Node does not have; pass codecs: { ${compression} }, or use "zstd"`,
      ]
    : []),
  ...(replicas === 0 ? ["KafkaConfig.replicas must not be 0; use -1 for the server's default"] : []),
];
