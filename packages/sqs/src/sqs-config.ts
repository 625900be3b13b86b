import { checked, type ConfigRecord, configRecord, integer, optional } from "@framework/core/feature";
import { topicOfUrl } from "./queue-url.ts";

/** Credentials of AWS. */
export interface SqsCredentials {
  /** Id of the access key. */
  readonly accessKeyId: string;
  /** The access key. */
  readonly secretAccessKey: string;
  /** Token of temporary credentials. */
  readonly sessionToken?: string;
}

/** Place, credentials and limits of Amazon SQS. */
export interface SqsConfig {
  /** Region of the queues. @default "us-east-1" */
  readonly region: string;
  /**
   * URL of a queue that exists, for example one of another account. The topic with the name of the queue (without `.fifo`) is this queue alone; other topics
   * have queues of their own. @default "": none
   */
  readonly queueUrl: string;
  /** Address of SQS: of an emulator, or of a VPC endpoint. @default that of the region */
  readonly endpointUrl: string | undefined;
  /** Credentials, or a function that returns them. @default those that the AWS SDK finds: environment, profile, container, instance */
  readonly credentials: SqsCredentials | (() => Promise<SqsCredentials>) | undefined;
  /** Most messages of one request; 1 to 10. @default 10 */
  readonly maxMessages: number;
  /** How long a request waits at SQS for messages, in seconds; 1 to 20. @default 20 */
  readonly waitTimeSecs: number;
  /**
   * After so many seconds without a sign of life SQS gives a message to another process; 2 to 43,200. The sign is sent at half of it, while the handler runs.
   * @default 30
   */
  readonly visibilityTimeoutSecs: number;
  /** Time limit of a request in milliseconds, beside the waiting at SQS; 100 to 600,000. @default 10000 */
  readonly requestTimeoutMs: number;
  /** How often SQS hands a message over that is never settled, before it is a dead letter; 2 to 1,000. @default 50 */
  readonly maxReceiveCount: number;
  /** Largest message that the queues take, in bytes, with key and headers; 65,536 to 1,048,576. @default 1048576 */
  readonly messageSizeBytes: number;
  /** How long the queues of a topic are remembered, in milliseconds; later a new group gets what is sent; 100 to 3,600,000. @default 30000 */
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
  credentials: optional<NonNullable<SqsConfig["credentials"]>>({
    problem: (value) =>
      isCredentials(value)
        ? null
        : "must be { accessKeyId, secretAccessKey }, or a function that returns them",
  }),
  maxMessages: integer(10, { min: 1, max: 10 }),
  waitTimeSecs: integer(20, { min: 1, max: 20 }),
  visibilityTimeoutSecs: integer(30, { min: 2, max: 43_200 }),
  requestTimeoutMs: integer(10_000, { min: 100, max: 600_000 }),
  maxReceiveCount: integer(50, { min: 2, max: 1000 }),
  messageSizeBytes: integer(1_048_576, { min: 65_536, max: 1_048_576 }),
  discoveryMs: integer(30_000, { min: 100, max: 3_600_000 }),
});

/** Returns the contradictions between the fields of a record. */
export const configProblems = ({ region, queueUrl, endpointUrl }: SqsConfig): readonly string[] => {
  const [, other] = /^https:\/\/sqs\.([a-z\d-]+)\.amazonaws\.com/.exec(queueUrl) ?? [];
  if (other === undefined || other === region || endpointUrl !== undefined) return [];
  return [
    `SqsConfig.region is "${region}", but the queue of queueUrl is in "${other}"; set region: "${other}"`,
  ];
};
