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
   * Consumers of one group share the messages; each group gets all of them. The name stays the same over deployments.
   * @default the `group` of its broker, which is then enabled before
   */
  readonly group?: string | undefined;
  /** Schema of the data, or schemas by type: `{ "book.created": BookCreated }`. @default data is not checked */
  readonly schema?: S;
  /** Name of the broker. @default the broker of `enableMessaging`, or the only one */
  readonly broker?: string;
  /** Dependencies of the handler; those of scope `invocation` live as long as one try. @default none */
  readonly inject?: I;
  /** Checked before the handler; a refusal makes a dead letter at once. @default none */
  readonly guards?: readonly Guard[];
  /** Identifies the sender by headers, such as a `JwtAuth`. @default none */
  readonly auth?: Authenticator;
  /** Handlers that run in one process at a time, 1 to 1,000. @default 16 */
  readonly concurrency?: number;
  /**
   * Deliveries that one process holds (for Kafka: of each partition), 1 to 10,000; as many again may wait for their settlement. @default twice `concurrency`;
   * 1,000 for a log
   */
  readonly prefetch?: number;
  /**
   * `key`: messages of one key one at a time, in order, also through retries; different keys beside each other. `partition`: the same for all messages of a
   * partition. @default "none"
   */
  readonly order?: "none" | "key" | "partition";
  /**
   * Calls of the handler that begin within a time, such as `{ limit: 100, perSecs: 60 }`, over all workers, and over all hosts that share state through
   * Redis. At most 100,000 in 10 minutes; a call with a batch is one. Messages above it wait. @default no limit
   */
  readonly rate?: WorkRateInput;
  /** `manual`: the handler must call `ack`, `retry` or `reject`; returning without is a failure. @default "auto" */
  readonly ack?: "auto" | "manual";
  /** Tries of a message. @default 3 quick ones, then after 5 s, 30 s, 2 min and 10 min */
  readonly retry?: ConfigInput<MessageRetry>;
  /**
   * Where messages go that failed every try: `parked` is the parked work of the app's database, `topic` the topic `<topic>.<group>.dlq` of the broker, any
   * other text a topic of that name. @default "parked" if the broker is the app's database, else "topic"
   */
  readonly deadLetter?: string;
  /**
   * `inbox`: a message has its effect once, even if it is delivered again: the handler's writes in `context.tx` and the mark that it is done are one
   * transaction of the app's database. @default "none"
   */
  readonly dedupe?: "none" | "inbox";
  /** Limit of one try in milliseconds, 1 to 3,600,000. @default 30000 */
  readonly timeoutMs?: number;
  /** What to do with a type that `schema` does not have: a dead letter, an acknowledgement that is counted, or the retry policy, with which newer code can handle it. @default "park" */
  readonly onUnknown?: "park" | "ack" | "fail";
  /** Accepts JSON that is no CloudEvent: its type is the topic. @default false */
  readonly raw?: boolean;
  /** Where a new group begins; `latest` at a broker that keeps messages after they were handled (Kafka). @default "earliest" */
  readonly from?: "earliest" | "latest";
  /** Only of `subscribeBatch`. */
  readonly batch?: never;
}

/** Options of a subscription whose handler gets several messages at once. */
export interface BatchSubscriptionOptions<
  S extends SchemaOption = undefined,
  I extends Injections | undefined = undefined,
> extends Omit<SubscriptionOptions<S, I>, "ack" | "dedupe" | "batch"> {
  /** Only of `subscribe`: a batch handler returns verdicts. */
  readonly ack?: never;
  /** Only of `subscribe`. */
  readonly dedupe?: never;
  /** Most messages of one call, 2 to 1,000; at most one of each key (or partition) where the order counts. */
  readonly batch: {
    readonly size: number;
    /** Longest wait for more messages, in milliseconds, up to 60,000. @default 0 */
    readonly waitMs?: number;
  };
}

/** Options of either kind of subscription. */
export type AnyOptions = Omit<SubscriptionOptions<SchemaOption, Injections | undefined>, "batch"> &
  Partial<Pick<BatchSubscriptionOptions, "batch">>;

/** Does the work of one message. What it returns is the reply, for a sender that asked for one. */
export type MessageHandler<S extends SchemaOption, I extends Injections | undefined> = [
  NonNullable<I>,
] extends [never]
  ? (message: MessageOf<S>, context: MessageContext) => Awaitable<unknown>
  : (message: MessageOf<S>, context: MessageContext, dependencies: DependenciesOf<I>) => Awaitable<unknown>;

/** What becomes of one message of a batch. */
export type BatchVerdict =
  | "ack"
  | { readonly retry: { readonly delayMs?: number; readonly error?: unknown } }
  | { readonly reject: string };

/**
 * Does the work of several messages: a verdict for each, by id. A missing one is a failure, and when it throws all have failed. Messages of one id and several
 * sources come in calls of their own.
 */
export type BatchHandler<S extends SchemaOption, I extends Injections | undefined> = [
  NonNullable<I>,
] extends [never]
  ? (messages: readonly MessageOf<S>[]) => Awaitable<ReadonlyMap<string, BatchVerdict>>
  : (
      messages: readonly MessageOf<S>[],
      dependencies: DependenciesOf<I>,
    ) => Awaitable<ReadonlyMap<string, BatchVerdict>>;

/** Any handler, where its types do not matter. */
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
