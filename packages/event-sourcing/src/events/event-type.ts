import type { StandardSchema } from "@framework/core";
import { mistake } from "../errors/event-error.ts";
import { checkName } from "../names/check-name.ts";
import type { PersonalData } from "./personal-data.ts";
import type { NewEvent, StoredEvent } from "./stored-event.ts";
import type { Upcasters } from "./upcast-result.ts";

/** What the store knows of a type, whatever its data. */
export interface AnyEventType<Type extends string = string> {
  /** Name of the type. */
  readonly type: Type;
  /** Version of the data's form. */
  readonly version: number;
  /** Checks data before it is appended; `null` for a retired type, which is only read. */
  readonly schema: StandardSchema<unknown, unknown> | null;
  /** One for each earlier version. */
  readonly upcast: Upcasters;
  /** Fields that are encrypted; `null` without. */
  readonly personal: PersonalData<never> | null;
}

/** A type of events. Call it to make an event of it. */
export interface EventType<Type extends string, Input, Output = Input> extends AnyEventType<Type> {
  /** Makes an event to append; its data is checked by the schema when it is appended. */
  (data: Input, options?: Pick<NewEvent, "id" | "metadata">): NewEvent<Type, Input>;
  /** Checks data before it is appended. */
  readonly schema: StandardSchema<Input, Output>;
}

/** A stored event of a type. */
export type EventOf<T extends AnyEventType> =
  T extends EventType<infer Type, infer _Input, infer Output> ? StoredEvent<Type, Output> : never;

/** A new event of a type. */
export type NewEventOf<T extends AnyEventType> =
  T extends EventType<infer Type, infer Input, infer _Output> ? NewEvent<Type, Input> : never;

/** Options of a type of events. */
export interface EventTypeOptions<Output> {
  /** Version of the data's form, from 1. @default 1 */
  readonly version?: number;
  /** Turns the data of each earlier version into that of the next: required for every version from 1. @default none */
  readonly upcast?: Upcasters;
  /** Fields that are encrypted with a key of the person they are about, until `forget` deletes the key. @default none */
  readonly personal?: PersonalData<Output>;
}

/**
 * Defines a type of events: its name, the schema of its data, and how data of earlier versions is read.
 *
 * @example
 * const BookBorrowed = eventType("BookBorrowed", z.object({ member: z.string() }));
 * await app.eventStore.append("loan-1", BookBorrowed({ member: "ann" }));
 * @throws EVENTS_BAD_TYPE for a version without the upcasters to it
 */
export const eventType = <Type extends string, Input, Output>(
  type: Type,
  schema: StandardSchema<Input, Output>,
  { version = 1, upcast = {}, personal }: EventTypeOptions<Output> = {},
): EventType<Type, Input, Output> => {
  checkName("name of an event type", type);
  checkUpcasters(type, version, upcast);
  const make = (data: Input, options?: Pick<NewEvent, "id" | "metadata">): NewEvent<Type, Input> => ({
    type,
    data,
    ...options,
  });
  return Object.freeze(Object.assign(make, { type, version, schema, upcast, personal: personal ?? null }));
};

/**
 * Defines a type that is not appended any more: its upcasters end with `split` or `dropped`.
 *
 * @example
 * const BookLent = retiredEventType("BookLent", { 1: (data) => split({ type: "BookBorrowed", data }) });
 */
export const retiredEventType = <Type extends string>(type: Type, upcast: Upcasters): AnyEventType<Type> => {
  checkName("name of an event type", type);
  const version = Object.keys(upcast).length + 1;
  if (version === 1) throw mistake("EVENTS_BAD_TYPE", `the retired type ${type} needs an upcaster`);
  checkUpcasters(type, version, upcast);
  return Object.freeze({ type, version, schema: null, upcast, personal: null });
};

const checkUpcasters = (type: string, version: number, upcast: Upcasters): void => {
  if (!Number.isInteger(version) || version < 1 || version > 10_000)
    throw mistake(
      "EVENTS_BAD_TYPE",
      `the version of ${type} is a whole number from 1 to 10000, not ${version}`,
    );
  for (let from = 1; from < version; from++)
    if (typeof upcast[from] !== "function")
      throw mistake(
        "EVENTS_BAD_TYPE",
        `${type} has version ${version}, but no upcaster from version ${from}`,
      );
  const beyond = Object.keys(upcast).find((from) => !(Number(from) >= 1 && Number(from) < version));
  if (beyond !== undefined)
    throw mistake(
      "EVENTS_BAD_TYPE",
      `${type} has an upcaster from version ${beyond}, but version ${version}`,
    );
};
