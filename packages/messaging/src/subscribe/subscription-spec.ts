import { FrameworkError, type Guard, type Injections, isGuard, type StandardSchema } from "@framework/core";
import type { Authenticator } from "@framework/core/feature";
import type { Schemas } from "../message/message.ts";
import type { WorkRate } from "@framework/durable/feature";
import { messageRate, mostHeld } from "./message-rate.ts";
import { maxTries, MessageRetry } from "./message-retry.ts";
import type {
  AnyHandler,
  BatchSubscriptionOptions,
  SchemaOption,
  SubscriptionOptions,
} from "./subscription-options.ts";

/** A checked subscription. */
export interface SubscriptionSpec {
  readonly topic: string | RegExp;
  readonly group: string;
  readonly broker: string | null;
  readonly handler: AnyHandler;
  /** Schema of every type; `null` for none. */
  readonly schema: StandardSchema | null;
  /** Schemas by type; `null` when every type is known. */
  readonly schemas: ReadonlyMap<string, StandardSchema> | null;
  readonly inject: Injections | undefined;
  readonly guards: readonly Guard[];
  readonly auth: Authenticator | undefined;
  readonly concurrency: number;
  /** `null` for the default, which depends on the broker. */
  readonly prefetch: number | null;
  readonly order: "none" | "key" | "partition";
  /** `null` for none. */
  readonly rate: WorkRate | null;
  readonly ack: "auto" | "manual";
  readonly retry: MessageRetry;
  readonly maxTries: number;
  /** `null` for the default, which depends on the broker. */
  readonly deadLetter: string | null;
  readonly dedupe: "none" | "inbox";
  readonly timeoutMs: number;
  readonly onUnknown: "park" | "ack" | "fail";
  readonly isRaw: boolean;
  readonly from: "earliest" | "latest";
  readonly batch: { readonly size: number; readonly waitMs: number };
}

type AnyOptions = Omit<SubscriptionOptions<SchemaOption, Injections | undefined>, "batch"> &
  Partial<Pick<BatchSubscriptionOptions, "batch">>;

/** Names of topics and groups: what every broker accepts. */
const NAME = /^[\w.-]{1,100}$/;
const NAME_RULE = "1 to 100 letters, digits and . _ -";

/** Returns a subscription with its defaults, and its mistakes. */
export const subscriptionSpec = (
  topic: string | RegExp,
  options: AnyOptions,
  handler: AnyHandler,
): { readonly spec: SubscriptionSpec; readonly problems: readonly string[] } => {
  const retry = recordOf(() => MessageRetry.of(options.retry), MessageRetry.of());
  const rate = recordOf(() => (options.rate === undefined ? null : messageRate(options.rate)), null);
  const { schema, schemas } = schemasOf(options.schema);
  const spec: SubscriptionSpec = {
    topic,
    group: options.group ?? "",
    broker: options.broker ?? null,
    handler,
    schema,
    schemas,
    inject: options.inject,
    guards: options.guards ?? [],
    auth: options.auth,
    concurrency: options.concurrency ?? 16,
    prefetch: options.prefetch ?? null,
    order: options.order ?? "none",
    rate: rate.value,
    ack: options.ack ?? "auto",
    retry: retry.value,
    maxTries: maxTries(retry.value),
    deadLetter: options.deadLetter ?? null,
    dedupe: options.dedupe ?? "none",
    timeoutMs: options.timeoutMs ?? 30_000,
    onUnknown: options.onUnknown ?? "park",
    isRaw: options.raw ?? false,
    from: options.from ?? "earliest",
    batch: { size: options.batch?.size ?? 1, waitMs: options.batch?.waitMs ?? 0 },
  };
  return { spec, problems: [...retry.problems, ...rate.problems, ...problemsOf(spec, options)] };
};

const problemsOf = (spec: SubscriptionSpec, options: AnyOptions): readonly string[] => {
  const { batch } = options;
  const { topic, handler } = spec;
  const rules: readonly (readonly [boolean, string])[] = [
    [topic instanceof RegExp || isName(topic), `its topic has ${NAME_RULE}, or is a regular expression`],
    [isName(spec.group), `its group has ${NAME_RULE}; name it, or enable its broker with one before`],
    [typeof handler.handle === "function", "its handler is a function"],
    [isWithin(spec.concurrency, 1, 1000), "concurrency is a whole number from 1 to 1,000"],
    [
      spec.prefetch === null || isWithin(spec.prefetch, 1, 10_000),
      "prefetch is a whole number from 1 to 10,000",
    ],
    [["none", "key", "partition"].includes(spec.order), 'order is "none", "key" or "partition"'],
    [["auto", "manual"].includes(spec.ack), 'ack is "auto" or "manual"'],
    [["none", "inbox"].includes(spec.dedupe), 'dedupe is "none" or "inbox"'],
    [["park", "ack", "fail"].includes(spec.onUnknown), 'onUnknown is "park", "ack" or "fail"'],
    [["earliest", "latest"].includes(spec.from), 'from is "earliest" or "latest"'],
    [isWithin(spec.timeoutMs, 1, 3_600_000), "timeoutMs is a whole number from 1 to 3,600,000"],
    [
      spec.deadLetter === null || isName(spec.deadLetter),
      `deadLetter is "parked", "topic" or the name of a topic`,
    ],
    [
      spec.deadLetter !== topic || ["parked", "topic"].includes(spec.deadLetter),
      "deadLetter is another topic than its own, which would get its dead letters again and again",
    ],
    [
      Array.isArray(spec.guards) && spec.guards.every(isGuard),
      "guards are functions or objects with `check`",
    ],
    [
      spec.rate === null || (spec.prefetch ?? 0) <= mostHeld(spec.rate, spec.batch.size),
      "prefetch is not more than the messages that its rate admits in 20 minutes",
    ],
    [batch === undefined || isWithin(batch.size, 2, 1000), "batch.size is a whole number from 2 to 1,000"],
    [isWithin(spec.batch.waitMs, 0, 60_000), "batch.waitMs is a whole number from 0 to 60,000"],
    ...kindRules(spec, options),
  ];
  return rules.filter(([holds]) => !holds).map(([, rule]) => rule);
};

/** Options that only one kind of handler has. */
const kindRules = (
  { handler, dedupe, ack }: SubscriptionSpec,
  { batch }: AnyOptions,
): readonly (readonly [boolean, string])[] =>
  handler.kind === "single"
    ? [[batch === undefined, "batch is an option of subscribeBatch"]]
    : [
        [dedupe !== "inbox", 'dedupe: "inbox" is an option of subscribe; a batch has no transaction'],
        [ack !== "manual", 'ack: "manual" is an option of subscribe; a batch handler returns verdicts'],
      ];

const isName = (value: unknown): boolean => typeof value === "string" && NAME.test(value);

const isWithin = (value: number, min: number, max: number): boolean =>
  Number.isInteger(value) && value >= min && value <= max;

/** A checked record, or what takes its place and its mistakes. */
const recordOf = <T>(
  read: () => T,
  otherwise: T,
): { readonly value: T; readonly problems: readonly string[] } => {
  try {
    return { value: read(), problems: [] };
  } catch (error) {
    if (!FrameworkError.is(error)) throw error;
    return { value: otherwise, problems: [error.message] };
  }
};

const schemasOf = (option: SchemaOption): Pick<SubscriptionSpec, "schema" | "schemas"> => {
  if (option === undefined) return { schema: null, schemas: null };
  if (isSchema(option)) return { schema: option, schemas: null };
  return { schema: null, schemas: new Map(Object.entries(option)) };
};

const isSchema = (option: StandardSchema | Schemas): option is StandardSchema => "~standard" in option;
