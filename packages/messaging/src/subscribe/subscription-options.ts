import type { Awaitable, DependenciesOf, Guard, Injections, StandardSchema } from "@framework/core";
import { type Authenticator, type ConfigInput } from "@framework/core/feature";
import type { Message, MessageContext, MessageOf, Schemas } from "../message/message.ts";
import type { WorkRateInput } from "@framework/durable/feature";
import type { MessageRetry } from "./message-retry.ts";

/** The schema of every message of a topic, or schemas by type. */
export type SchemaOption = StandardSchema | Schemas | undefined;

/** Options of a subscription. */
export interface SubscriptionOptions<
  S extends SchemaOption = undefined,
  I extends Injections | undefined = undefined,
> {
  /**
   * Consumers of one group share the messages; each group receives all of them. Keep the name across deployments.
   * @default `group` of its broker, which must be enabled first
   */
  readonly group?: string | undefined;
  /** Schema of the data, or schemas by type: `{ "book.created": BookCreated }`. @default the schemas of the `Topic`, else data is not checked */
  readonly schema?: S;
  /** Name of the broker. @default the broker of `enableMessaging`, or the only one */
  readonly broker?: string;
  /** Dependencies of the handler; scope `invocation` is one try. @default none */
  readonly inject?: I;
  /** Guards that run before the handler; a rejected message becomes a dead letter at once. @default none */
  readonly guards?: readonly Guard[];
  /** Identifies the sender by headers, such as a `JwtAuth`. @default none */
  readonly auth?: Authenticator;
  /** Maximum concurrent handlers in one process, 1 to 1,000. @default 16 */
  readonly concurrency?: number;
  /**
   * Maximum deliveries that one process holds (on Kafka: of each partition), 1 to 10,000; as many again may wait for their settlement. @default twice
   * `concurrency` or `batch.size`, whichever is larger, fewer with a low `rate`; 1,000 on Kafka
   */
  readonly prefetch?: number;
  /**
   * `key`: messages of one key run one at a time and in order, also through retries; different keys run concurrently. `partition`: the same for all messages of
   * a partition. @default "none"
   */
  readonly order?: "none" | "key" | "partition";
  /**
   * Maximum handler calls in a time window, such as `{ limit: 100, perSecs: 60 }`, over all workers, and over all hosts that share state through Redis. `limit` is
   * at most 100,000, `perSecs` 0.1 to 600; a batch is one call. Messages above the rate wait. @default no limit
   */
  readonly rate?: WorkRateInput;
  /** `manual`: the handler must call `ack`, `retry` or `reject`; returning without a call is a failed try. @default "auto" */
  readonly ack?: "auto" | "manual";
  /** Retry policy. @default 3 quick tries, then tries after 5 s, 30 s, 2 min and 10 min */
  readonly retry?: ConfigInput<MessageRetry>;
  /**
   * Destination of dead letters: `parked` is the parked work of the app's database, `topic` the topic `<topic>.<group>.dlq` of the broker, any other string the
   * name of a topic. @default "parked" if the broker is the app's database, else "topic"
   */
  readonly deadLetter?: string;
  /**
   * `inbox`: a message takes effect once, even if it is delivered again: the handler's writes in `context.tx` and the mark that it is done are one transaction of
   * the app's database. @default "none"
   */
  readonly dedupe?: "none" | "inbox";
  /** Time limit of one try in milliseconds, 1 to 3,600,000. @default 30000 */
  readonly timeoutMs?: number;
  /** Handling of a type that `schema` lacks: `park` makes a dead letter, `ack` acknowledges, `fail` applies the retry policy, so that newer code can handle the message. @default "park" */
  readonly onUnknown?: "park" | "ack" | "fail";
  /** Accepts JSON that is not a CloudEvent; its type is the topic. @default false */
  readonly raw?: boolean;
  /** Position at which a new group begins; `latest` only on a broker that keeps handled messages (Kafka). @default "earliest" */
  readonly from?: "earliest" | "latest";
  /** Only for `subscribeBatch`. */
  readonly batch?: never;
}

/** Options of `subscribeBatch`. */
export interface BatchSubscriptionOptions<
  S extends SchemaOption = undefined,
  I extends Injections | undefined = undefined,
> extends Omit<SubscriptionOptions<S, I>, "ack" | "dedupe" | "batch"> {
  /** Only for `subscribe`: a batch handler returns verdicts. */
  readonly ack?: never;
  /** Only for `subscribe`. */
  readonly dedupe?: never;
  /**
   * `size`: maximum number of messages of one call, 2 to 1,000; with an order at most one of each key (or partition). Where a topic is one partition, as on every
   * broker except Kafka, each call with `order: "partition"` has one message, after `waitMs`.
   */
  readonly batch: {
    readonly size: number;
    /** Longest wait for a full batch in milliseconds, up to 60,000. @default 0 */
    readonly waitMs?: number;
  };
}

/** Options of either kind of subscription. */
export type AnyOptions = Omit<SubscriptionOptions<SchemaOption, Injections | undefined>, "batch"> &
  Partial<Pick<BatchSubscriptionOptions, "batch">>;

/** Handles one message. Its return value is the reply if the sender requests one. */
export type MessageHandler<S extends SchemaOption, I extends Injections | undefined> = [
  NonNullable<I>,
] extends [never]
  ? (message: MessageOf<S>, context: MessageContext) => Awaitable<unknown>
  : (message: MessageOf<S>, context: MessageContext, dependencies: DependenciesOf<I>) => Awaitable<unknown>;

/** Decision on one message of a batch. */
export type BatchVerdict =
  | "ack"
  | { readonly retry: { readonly delayMs?: number; readonly error?: unknown } }
  | { readonly reject: string };

/**
 * Handles several messages and returns verdicts by message id. A missing verdict is a failed try; if the handler throws, the tries of all messages have failed.
 * Messages with the same id and different sources are in separate calls.
 */
export type BatchHandler<S extends SchemaOption, I extends Injections | undefined> = [
  NonNullable<I>,
] extends [never]
  ? (messages: readonly MessageOf<S>[]) => Awaitable<ReadonlyMap<string, BatchVerdict>>
  : (
      messages: readonly MessageOf<S>[],
      dependencies: DependenciesOf<I>,
    ) => Awaitable<ReadonlyMap<string, BatchVerdict>>;

/** A handler of any message type. */
export type AnyHandler =
  | {
      readonly kind: "single";
      readonly handle: (message: Message, context: MessageContext, dependencies: never) => Awaitable<unknown>;
    }
  | {
      readonly kind: "batch";
      readonly handle: (
        messages: readonly Message[],
        dependencies: never,
      ) => Awaitable<ReadonlyMap<string, BatchVerdict>>;
    };
