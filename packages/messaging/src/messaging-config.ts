import {
  checked,
  type Clock,
  type ConfigRecord,
  configRecord,
  flag,
  integer,
  isClock,
  optional,
  text,
} from "@framework/core/feature";
import type { BrokerAdapter } from "./port/broker-adapter.ts";
import { isSource, sourceRule } from "./send/to-event.ts";
import { isTopic, isTopicName, type Topic, topicNameRule } from "./send/topic.ts";

/** Options of `enableMessaging`. The configuration of a broker's package may include them. */
export interface MessagingConfig {
  /** The broker: `database`, `memory`, or an adapter. @default "database" */
  readonly broker: "database" | "memory" | BrokerAdapter;
  /** Attribute `source` of events that this app sends: a URI reference. @default "/" */
  readonly source: string;
  /** Default group of subscriptions. @default none: each subscription must have its own */
  readonly group: string | undefined;
  /** Topics that the app sends to, for the topology and the API document. @default [] */
  readonly topics: readonly (string | Topic)[];
  /** Whether topics and queues are verified at start, created, or not checked. @default "verify" in production, else "create" */
  readonly topology: "verify" | "create" | "off" | undefined;
  /**
   * Lets `send` with `tx` work on a broker other than the database: messages are stored with the commit and sent afterwards. Needs a database. Not needed by
   * the broker on the database. @default false
   */
  readonly outbox: boolean;
  /** Largest body of a message in bytes, sent or received; 1 KiB to 16 MiB. @default 1 MiB */
  readonly maxMessageBytes: number;
  /** Largest headers of a message in bytes; 512 to 65,536. @default 8 KiB */
  readonly maxHeaderBytes: number;
  /** Time limit of a send in milliseconds, until its confirmation; 10 to 600,000. @default 10000 */
  readonly sendTimeoutMs: number;
  /** Time that running handlers have to finish when the service stops, in milliseconds, 0 to 600,000. @default 30000 */
  readonly drainMs: number;
  /** The clock, for tests. @default the system clock */
  readonly clock: Clock | undefined;
}

/** Checks a configuration of messaging and adds the defaults. */
export const MessagingConfig: ConfigRecord<MessagingConfig> = configRecord("MessagingConfig", {
  broker: checked<MessagingConfig["broker"]>(
    "database",
    '"database", "memory" or an adapter such as kafkaBroker(…)',
    (value) => value === "database" || value === "memory" || isAdapter(value),
  ),
  source: checked<string>("/", sourceRule, isSource),
  group: optional<string>(text("")),
  topics: checked<MessagingConfig["topics"]>(
    [],
    `a list of topics or their names, with names of ${topicNameRule}`,
    (value) =>
      Array.isArray(value) &&
      Array.from(value).every((each) => isTopicName(isTopic(each) ? each.name : each)), // `every` alone skips holes
  ),
  topology: optional<"verify" | "create" | "off">({
    problem: (value) =>
      ["verify", "create", "off"].includes(value as string) ? null : 'must be "verify", "create" or "off"',
  }),
  outbox: flag(false),
  maxMessageBytes: integer(1_048_576, { min: 1024, max: 16_777_216 }),
  maxHeaderBytes: integer(8192, { min: 512, max: 65_536 }),
  sendTimeoutMs: integer(10_000, { min: 10, max: 600_000 }),
  drainMs: integer(30_000, { min: 0, max: 600_000 }),
  clock: optional<Clock>({ problem: (value) => (isClock(value) ? null : "must be a Clock") }),
});

/** Whether a value is an adapter of a broker. */
export const isAdapter = (value: unknown): value is BrokerAdapter =>
  typeof value === "object" &&
  value !== null &&
  "capabilities" in value &&
  typeof value.capabilities === "object" &&
  "open" in value &&
  typeof value.open === "function";
