import { isGuard } from "@framework/core";
import { isPlainObject, unknownFields } from "@framework/core/feature";
import { isSchema } from "./is-schema.ts";
import { mostHeld } from "./message-rate.ts";
import type { AnyOptions, SubscriptionOptions } from "./subscription-options.ts";
import type { SubscriptionSpec } from "./subscription-spec.ts";

const names: Readonly<Record<keyof SubscriptionOptions, true>> = {
  group: true,
  schema: true,
  broker: true,
  inject: true,
  guards: true,
  auth: true,
  concurrency: true,
  prefetch: true,
  order: true,
  rate: true,
  ack: true,
  retry: true,
  deadLetter: true,
  dedupe: true,
  timeoutMs: true,
  onUnknown: true,
  raw: true,
  from: true,
  batch: true,
};

/** Names of topics and groups: what every broker accepts. */
const NAME = /^[\w.-]{1,100}$/;

/** What the name of a topic or group has, for messages. */
export const NAME_RULE = "1 to 100 letters, digits and . _ -";

/** Returns the mistakes of a subscription; programs without types can make any of them. */
export const subscriptionProblems = (spec: SubscriptionSpec, given: AnyOptions): readonly string[] => {
  if (!isPlainObject(given)) return ['its options are an object, such as { group: "search" }'];
  const { batch } = given;
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
    [batch === undefined || isWithin(batch?.size, 2, 1000), "batch.size is a whole number from 2 to 1,000"],
    [isWithin(spec.batch.waitMs, 0, 60_000), "batch.waitMs is a whole number from 0 to 60,000"],
    [
      given.schema === undefined || isSchema(given.schema) || areSchemas(given.schema),
      "schema is a Standard Schema, or an object with one for each type",
    ],
    [typeof (given.broker ?? "") === "string", "broker is the name of a broker"],
    [spec.auth === undefined || isAuthenticator(spec.auth), "auth is an authentication with `identify`"],
    [typeof spec.isRaw === "boolean", "raw is true or false"],
    ...kindRules(spec, given),
  ];
  return [
    ...unknownFields("it", given, Object.keys(names)),
    ...(isPlainObject(batch) ? unknownFields("batch", batch, ["size", "waitMs"]) : []),
    ...rules.filter(([holds]) => !holds).map(([, rule]) => rule),
  ];
};

/** Options that only one kind of handler has. */
const kindRules = (
  { handler, dedupe, ack }: SubscriptionSpec,
  { batch }: AnyOptions,
): readonly (readonly [boolean, string])[] =>
  handler.kind === "single"
    ? [[batch === undefined, "batch is an option of subscribeBatch"]]
    : [
        [batch !== undefined, "subscribeBatch needs the size of a batch, such as batch: { size: 100 }"],
        [dedupe !== "inbox", 'dedupe: "inbox" is an option of subscribe; a batch has no transaction'],
        [ack !== "manual", 'ack: "manual" is an option of subscribe; a batch handler returns verdicts'],
      ];

export const isName = (value: unknown): boolean => typeof value === "string" && NAME.test(value);

const isAuthenticator = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "identify" in value && typeof value.identify === "function";

const areSchemas = (value: unknown): boolean => {
  const schemas = isPlainObject(value) ? Object.values(value) : [];
  return schemas.length > 0 && schemas.every(isSchema);
};

const isWithin = (value: unknown, min: number, max: number): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
