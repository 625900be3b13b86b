import { FrameworkError, type Guard, type Injections, type StandardSchema } from "@framework/core";
import { type Authenticator, isPlainObject } from "@framework/core/feature";
import type { WorkRate } from "@framework/durable/feature";
import { messageRate } from "./message-rate.ts";
import { maxTries, MessageRetry } from "./message-retry.ts";
import { isSchema } from "./is-schema.ts";
import type { AnyHandler, AnyOptions, SchemaOption } from "./subscription-options.ts";

/** A subscription with its defaults. */
export interface SubscriptionSpec {
  readonly topic: string | RegExp;
  readonly group: string;
  readonly broker: string | null;
  readonly handler: AnyHandler;
  /** Schema of all types; `null` for none. */
  readonly schema: StandardSchema | null;
  /** Schemas by type; `null` if every type is accepted. */
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

/** Returns a subscription with its defaults, and the mistakes in `retry` and `rate`. */
export const subscriptionSpec = (
  topic: string | RegExp,
  given: AnyOptions,
  handler: AnyHandler,
): { readonly spec: SubscriptionSpec; readonly problems: readonly string[] } => {
  const options = isPlainObject(given) ? given : {};
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
  return { spec, problems: [...retry.problems, ...rate.problems] };
};

/** Returns a checked record; if it is invalid, the fallback and the mistakes. */
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
  if (isSchema(option)) return { schema: option, schemas: null };
  return { schema: null, schemas: isPlainObject(option) ? new Map(Object.entries(option)) : null };
};
