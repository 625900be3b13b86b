import type { Awaitable, StandardSchema } from "@framework/core";
import { isPlainObject, mapAwaitable } from "@framework/core/feature";
import { eventError } from "../errors/event-error.ts";
import { addMetadata, type EventMetadata } from "../events/event-metadata.ts";
import type { AnyEventType } from "../events/event-type.ts";
import type { EventTypes } from "../events/event-types.ts";
import { jsonProblem } from "../events/json.ts";
import type { NewEvent } from "../events/stored-event.ts";
import { checkName } from "../names/check-name.ts";
import { SEAL } from "../personal-data/sealed-fields.ts";

/** A validated event. */
export interface CheckedEvent {
  readonly id: string | undefined;
  readonly type: string;
  /** Its type; `null` in a store without types. */
  readonly known: AnyEventType | null;
  readonly data: unknown;
  readonly metadata: EventMetadata;
}

/** Validates an event; its data is the output of the schema. @throws EVENTS_UNKNOWN_TYPE, EVENTS_INVALID_DATA, EVENTS_BAD_NAME */
export const checkEvent = (
  types: EventTypes,
  { type, data, id, metadata: own }: NewEvent,
  metadata: EventMetadata,
): Awaitable<CheckedEvent> => {
  checkName("type of an event", type);
  if (id !== undefined) checkName("id of an event", id);
  const known = types.forAppend(type);
  const all = withMetadata(metadata, own);
  const toChecked = (valid: unknown): CheckedEvent => {
    const problem = valid === undefined ? "data is undefined" : jsonProblem(valid, "data");
    if (problem !== null)
      throw eventError("EVENTS_INVALID_DATA", `JSON cannot represent an event of type ${type}: ${problem}`);
    return { id, type, known, data: valid, metadata: all };
  };
  if (known === null || known.schema === null) return toChecked(data);
  return mapAwaitable(validate(known.schema, type, data), toChecked);
};

/**
 * Adds the metadata of an append or event, which takes precedence. `null`, of an untyped program, counts as not given.
 *
 * @throws EVENTS_INVALID_DATA for metadata that is not a plain object, that JSON cannot represent, or with a reserved member
 */
export const withMetadata = (current: EventMetadata, given: EventMetadata | undefined): EventMetadata => {
  if (given === undefined) return current;
  const value: unknown = given;
  if (value !== null && !isPlainObject(value))
    throw eventError("EVENTS_INVALID_DATA", "metadata must be a plain object"); // otherwise members of a Map would be lost
  const all = addMetadata(current, given);
  checkMetadata(all);
  return all;
};

const checkMetadata = (metadata: EventMetadata): void => {
  const problem = SEAL in metadata ? `metadata.${SEAL} is reserved` : jsonProblem(metadata, "metadata");
  if (problem !== null) throw eventError("EVENTS_INVALID_DATA", problem);
};

const validate = (schema: StandardSchema, type: string, data: unknown): Awaitable<unknown> => {
  const result = schema["~standard"].validate(data);
  return mapAwaitable(result, (settled) => outputOf(settled, type));
};

type Result = Awaited<ReturnType<StandardSchema["~standard"]["validate"]>>;

const MAX_ISSUES = 10;

/** Returns the validated value. The error has the paths and messages of the schema, but adds no values, which may be personal. @throws EVENTS_INVALID_DATA */
const outputOf = (result: Result, type: string): unknown => {
  if (result.issues === undefined) return result.value;
  const issues = result.issues.slice(0, MAX_ISSUES).map(({ path = [], message }) => {
    const names = path.map((segment) => String(typeof segment === "object" ? segment.key : segment));
    return `${["data", ...names].join(".")}: ${message}`;
  });
  throw eventError(
    "EVENTS_INVALID_DATA",
    `an event of type ${type} does not fit its schema: ${issues.join("; ")}`,
  );
};
