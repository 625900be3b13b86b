import { checked, type ConfigRecord, configRecord, integer, optional, secret } from "@framework/core/feature";
import { topicOfUrl } from "./queue-url.ts";

/** Credentials of AWS. */
export interface SqsCredentials {
  /** Access key id. */
  readonly accessKeyId: string;
  /** Secret access key. */
  readonly secretAccessKey: string;
  /** Session token of temporary credentials. */
  readonly sessionToken?: string;
}

/** Configuration of Amazon SQS. */
export interface SqsConfig {
  /** Region of the queues. @default "us-east-1" */
  readonly region: string;
  /**
   * URL of an existing queue, such as one of another account. It is the only queue of the topic with its name (without `.fifo`); other topics have their own
   * queues. @default "": none
   */
  readonly queueUrl: string;
  /** URL of an emulator or a VPC endpoint. @default the endpoint of the region */
  readonly endpointUrl: string | undefined;
  /** Credentials, or a function that returns them. @default the AWS SDK's: environment, profile, container, instance */
  readonly credentials: SqsCredentials | (() => Promise<SqsCredentials>) | undefined;
  /** Maximum number of messages of one receive request; 1 to 10. @default 10 */
  readonly maxMessages: number;
  /** Long polling: seconds for which a receive request waits for messages, 1 to 20; 1 if it polls several queues in turn. @default 20 */
  readonly waitTimeSecs: number;
  /**
   * Seconds without an extension after which SQS delivers a message to another process; 2 to 43,200. While the message is processed, it is extended at half of this
   * time. @default 30
   */
  readonly visibilityTimeoutSecs: number;
  /** Timeout of a request in milliseconds, not including `waitTimeSecs`; 100 to 600,000. @default 10000 */
  readonly requestTimeoutMs: number;
  /** Number of deliveries after which SQS makes an unsettled message a dead letter; 2 to 1,000. @default 50 */
  readonly maxReceiveCount: number;
  /** Maximum message size of the queues in bytes, with key and headers; 65,536 to 1,048,576. @default 1048576 */
  readonly messageSizeBytes: number;
  /** Milliseconds for which senders cache the queues of a topic, 100 to 3,600,000; a new group receives messages after at most this time. @default 30000 */
  readonly discoveryMs: number;
}

const isHttp = (value: unknown): boolean =>
  typeof value === "string" && /^https?:\/\/./.test(value) && URL.canParse(value);

const isCredentials = (value: unknown): boolean =>
  typeof value === "function" ||
  (typeof value === "object" &&
    value !== null &&
    typeof (value as Partial<SqsCredentials>).accessKeyId === "string" &&
    typeof (value as Partial<SqsCredentials>).secretAccessKey === "string");

/** Checks a configuration of SQS and adds the defaults. */
export const SqsConfig: ConfigRecord<SqsConfig> = configRecord("SqsConfig", {
  region: checked(
    "us-east-1",
    "the name of a region, such as eu-central-1",
    (value) => typeof value === "string" && /^[a-z]{2,}(?:-[a-z]+)+-\d+$/.test(value),
  ),
  queueUrl: checked(
    "",
    "the URL of a queue, https://sqs.REGION.amazonaws.com/ACCOUNT/NAME, or empty",
    (value) => value === "" || (isHttp(value) && topicOfUrl(value as string) !== ""),
  ),
  endpointUrl: optional<string>({
    problem: (value) => (isHttp(value) ? null : "must be http://host:port, or https:// for TLS"),
  }),
  credentials: secret(
    optional<NonNullable<SqsConfig["credentials"]>>({
      problem: (value) =>
        isCredentials(value)
          ? null
          : "must be { accessKeyId, secretAccessKey }, or a function that returns them",
    }),
  ),
  maxMessages: integer(10, { min: 1, max: 10 }),
  waitTimeSecs: integer(20, { min: 1, max: 20 }),
  visibilityTimeoutSecs: integer(30, { min: 2, max: 43_200 }),
  requestTimeoutMs: integer(10_000, { min: 100, max: 600_000 }),
  maxReceiveCount: integer(50, { min: 2, max: 1000 }),
  messageSizeBytes: integer(1_048_576, { min: 65_536, max: 1_048_576 }),
  discoveryMs: integer(30_000, { min: 100, max: 3_600_000 }),
});

/** Returns contradictions between fields. */
export const configProblems = ({ region, queueUrl, endpointUrl }: SqsConfig): readonly string[] => {
  const [, other] = /^https:\/\/sqs\.([a-z\d-]+)\.amazonaws\.com/.exec(queueUrl) ?? [];
  if (other === undefined || other === region || endpointUrl !== undefined) return [];
  return [
    `SqsConfig.region is "${region}", but the queue of queueUrl is in "${other}"; set region: "${other}"`,
  ];
};
