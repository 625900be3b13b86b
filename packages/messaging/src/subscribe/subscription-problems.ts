import { isGuard } from "@framework/core";
import { isPlainObject, unknownFields } from "@framework/core/feature";
import { isSchema } from "./is-schema.ts";
import { maxHeld } from "./message-rate.ts";
import type { AnyOptions, SubscriptionOptions } from "./subscription-options.ts";
import type { SubscriptionSpec } from "./subscription-spec.ts";

const optionNames: Readonly<Record<keyof SubscriptionOptions, true>> = {
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

/** Names of topics and groups that every broker accepts. */
const NAME = /^[\w.-]{1,100}$/;

/** Rule of `isName`, for error messages. */
export const NAME_RULE = "1 to 100 letters, digits and . _ -";

/** Returns the mistakes of a subscription, including mistakes that only untyped programs can make. */
export const subscriptionProblems = (spec: SubscriptionSpec, given: AnyOptions): readonly string[] => {
  if (!isPlainObject(given)) return ['its options must be an object, such as { group: "search" }'];
  const { batch } = given;
  const { topic, handler } = spec;
  const rules: readonly (readonly [boolean, string])[] = [
    [
      topic instanceof RegExp || isName(topic),
      `its topic must have ${NAME_RULE}, or be a regular expression`,
    ],
    [
      isName(spec.group),
      `its group must have ${NAME_RULE}; set it, or first enable its broker with a default group`,
    ],
    [typeof handler.handle === "function", "its handler must be a function"],
    [isWithin(spec.concurrency, 1, 1000), "concurrency must be a whole number from 1 to 1,000"],
    [
      spec.prefetch === null || isWithin(spec.prefetch, 1, 10_000),
      "prefetch must be a whole number from 1 to 10,000",
    ],
    [["none", "key", "partition"].includes(spec.order), 'order must be "none", "key" or "partition"'],
    [["auto", "manual"].includes(spec.ack), 'ack must be "auto" or "manual"'],
    [["none", "inbox"].includes(spec.dedupe), 'dedupe must be "none" or "inbox"'],
    [["park", "ack", "fail"].includes(spec.onUnknown), 'onUnknown must be "park", "ack" or "fail"'],
    [["earliest", "latest"].includes(spec.from), 'from must be "earliest" or "latest"'],
    [isWithin(spec.timeoutMs, 1, 3_600_000), "timeoutMs must be a whole number from 1 to 3,600,000"],
    [
      spec.deadLetter === null || isName(spec.deadLetter),
      `deadLetter must be "parked", "topic" or the name of a topic`,
    ],
    [
      spec.deadLetter === null || spec.deadLetter !== topic || ["parked", "topic"].includes(spec.deadLetter),
      "deadLetter must not be its own topic, which would receive its dead letters in a loop",
    ],
    [
      Array.isArray(spec.guards) && Array.from(spec.guards).every(isGuard), // `every` alone skips holes
      "guards must be a list of functions or objects with `check`",
    ],
    [
      spec.rate === null || (spec.prefetch ?? 0) <= maxHeld(spec.rate, spec.batch.size),
      "prefetch must not exceed the messages that its rate admits in 20 minutes",
    ],
    [
      batch === undefined || isWithin(batch?.size, 2, 1000),
      "batch.size must be a whole number from 2 to 1,000",
    ],
    [isWithin(spec.batch.waitMs, 0, 60_000), "batch.waitMs must be a whole number from 0 to 60,000"],
    [
      given.schema === undefined || isSchema(given.schema) || areSchemas(given.schema),
      "schema must be a Standard Schema, or an object with one for each type",
    ],
    [typeof (given.broker ?? "") === "string", "broker must be the name of a broker"],
    [spec.auth === undefined || isAuthenticator(spec.auth), "auth must be an authenticator with `identify`"],
    [typeof spec.isRaw === "boolean", "raw must be true or false"],
    ...kindRules(spec, given),
  ];
  return [
    ...unknownFields("it", given, Object.keys(optionNames)),
    ...(isPlainObject(batch) ? unknownFields("batch", batch, ["size", "waitMs"]) : []),
    ...rules.filter(([isValid]) => !isValid).map(([, rule]) => rule),
  ];
};

/** Rules of options that only one kind of handler has. */
const kindRules = (
  { handler, dedupe, ack }: SubscriptionSpec,
  { batch }: AnyOptions,
): readonly (readonly [boolean, string])[] =>
  handler.kind === "single"
    ? [[batch === undefined, "batch is an option of subscribeBatch"]]
    : [
        [batch !== undefined, "subscribeBatch requires a batch size, such as batch: { size: 100 }"],
        [dedupe !== "inbox", 'dedupe: "inbox" is an option of subscribe; a batch has no transaction'],
        [ack !== "manual", 'ack: "manual" is an option of subscribe; a batch handler returns verdicts'],
      ];

/** Whether a value is a name of a topic or group that every broker accepts. */
export const isName = (value: unknown): boolean => typeof value === "string" && NAME.test(value);

const isAuthenticator = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "identify" in value && typeof value.identify === "function";

const areSchemas = (value: unknown): boolean => {
  const schemas = isPlainObject(value) ? Object.values(value) : [];
  return schemas.length > 0 && schemas.every(isSchema);
};

const isWithin = (value: unknown, min: number, max: number): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
