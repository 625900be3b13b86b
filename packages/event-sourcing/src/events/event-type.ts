import type { StandardSchema } from "@framework/core";
import { isStandardSchema } from "@framework/core/feature";
import { eventError } from "../errors/event-error.ts";
import { checkName } from "../names/check-name.ts";
import type { PersonalData } from "./personal-data.ts";
import type { NewEvent, StoredEvent } from "./stored-event.ts";
import type { Upcasters } from "./upcast-result.ts";

/** An event type, regardless of its data. */
export interface AnyEventType<Type extends string = string> {
  /** Name of the type. */
  readonly type: Type;
  /** Version of the data's schema. */
  readonly version: number;
  /** Validates data before an append; `null` for a retired type, which is read-only. */
  readonly schema: StandardSchema<unknown, unknown> | null;
  /** One upcaster for each earlier version. */
  readonly upcast: Upcasters;
  /** Encrypted fields; `null` if there are none. */
  readonly personal: PersonalData<never> | null;
}

/** An event type. Call it to create an event. */
export interface EventType<Type extends string, Input, Output = Input> extends AnyEventType<Type> {
  /** Creates an event to append. The append validates its data. */
  (data: Input, options?: Pick<NewEvent, "id" | "metadata">): NewEvent<Type, Input>;
  /** Validates data before an append. */
  readonly schema: StandardSchema<Input, Output>;
}

/** A stored event of a type. */
export type EventOf<T extends AnyEventType> =
  T extends EventType<infer Type, infer _Input, infer Output> ? StoredEvent<Type, Output> : never;

/** A new event of a type. */
export type NewEventOf<T extends AnyEventType> =
  T extends EventType<infer Type, infer Input, infer _Output> ? NewEvent<Type, Input> : never;

/** Options of an event type. */
export interface EventTypeOptions<Output> {
  /** Version of the data's schema, from 1. @default 1 */
  readonly version?: number;
  /** Upcasters from each earlier version to the next; required for every version from 1. @default none */
  readonly upcast?: Upcasters;
  /** Fields that are encrypted with a key of the person they are about; `forget` deletes that key. @default none */
  readonly personal?: PersonalData<Output>;
}

/**
 * Defines an event type: its name, the schema of its data, and upcasters for data of earlier versions.
 *
 * @example
 * const BookBorrowed = eventType("BookBorrowed", z.object({ member: z.string() }));
 * await app.eventStore.append("loan-1", BookBorrowed({ member: "ann" }));
 * @throws EVENTS_BAD_TYPE, also if the schema or an upcaster is missing; EVENTS_BAD_NAME
 */
export const eventType = <Type extends string, Input, Output>(
  type: Type,
  schema: StandardSchema<Input, Output>,
  { version = 1, upcast = {}, personal }: EventTypeOptions<Output> = {},
): EventType<Type, Input, Output> => {
  checkName("name of an event type", type);
  if (!isStandardSchema(schema))
    throw eventError(
      "EVENTS_BAD_TYPE",
      `the second argument of eventType("${type}", …) must be a schema that implements Standard Schema`,
    );
  checkUpcasters(type, version, upcast);
  checkPersonal(type, personal);
  const make = (data: Input, options?: Pick<NewEvent, "id" | "metadata">): NewEvent<Type, Input> => ({
    type,
    data,
    ...options,
  });
  return Object.freeze(Object.assign(make, { type, version, schema, upcast, personal: personal ?? null }));
};

/**
 * Defines an event type that is no longer appended: its upcasters end with `split` or `dropped`.
 *
 * @example
 * const BookLent = retiredEventType("BookLent", { 1: (data) => split({ type: "BookBorrowed", data }) });
 * @throws EVENTS_BAD_TYPE, EVENTS_BAD_NAME
 */
export const retiredEventType = <Type extends string>(type: Type, upcast: Upcasters): AnyEventType<Type> => {
  checkName("name of an event type", type);
  const version = Object.keys(upcast).length + 1;
  if (version === 1) throw eventError("EVENTS_BAD_TYPE", `the retired type ${type} must have an upcaster`);
  checkUpcasters(type, version, upcast);
  return Object.freeze({ type, version, schema: null, upcast, personal: null });
};

/** @param personal any value, because untyped programs may pass one without types */
const checkPersonal = (type: string, personal: unknown): void => {
  if (personal === undefined || personal === null) return;
  const { subject, fields } = personal as Readonly<Record<"subject" | "fields", unknown>>;
  if (
    typeof subject === "function" &&
    Array.isArray(fields) &&
    fields.every((name) => typeof name === "string")
  )
    return;
  throw eventError(
    "EVENTS_BAD_TYPE",
    `\`personal\` of ${type} must have the function \`subject\` and \`fields\`, a list of names`,
  );
};

const checkUpcasters = (type: string, version: number, upcast: Upcasters): void => {
  if (!Number.isInteger(version) || version < 1 || version > 10_000)
    throw eventError(
      "EVENTS_BAD_TYPE",
      `the version of ${type} must be an integer from 1 to 10000, not ${version}`,
    );
  for (let from = 1; from < version; from++)
    if (typeof upcast[from] !== "function")
      throw eventError(
        "EVENTS_BAD_TYPE",
        `${type} has version ${version}, but no upcaster from version ${from}`,
      );
  const beyond = Object.keys(upcast).find((from) => !(Number(from) >= 1 && Number(from) < version));
  if (beyond !== undefined)
    throw eventError(
      "EVENTS_BAD_TYPE",
      `${type} has an upcaster from version ${beyond}, but version ${version}`,
    );
};
