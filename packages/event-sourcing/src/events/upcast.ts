import { FrameworkError } from "@framework/core";
import { isPromise, messageOf } from "@framework/core/feature";
import { eventError } from "../errors/event-error.ts";
import { MAX_PARTS } from "../limits.ts";
import type { EventTypes } from "./event-types.ts";
import { SplitEvent } from "./upcast-result.ts";

/** Data of a type in some version. */
export interface VersionedData {
  readonly type: string;
  readonly version: number;
  readonly data: unknown;
}

/** Maximum number of upcast steps for one stored event; more are treated as a cycle of splits. A type alone may take 9,999 steps, one for each earlier version. */
const MAX_STEPS = 100_000;

/**
 * Upcasts data to the current version, version by version. The parts of a split are upcast as well, and keep their order.
 *
 * @throws EVENTS_NEWER_SCHEMA, EVENTS_UPCAST_FAILED
 */
export const upcast = (types: EventTypes, stored: VersionedData): readonly VersionedData[] => {
  const done: VersionedData[] = [];
  const open: VersionedData[] = [stored];
  for (let steps = 0; ; steps++) {
    const next = open.pop();
    if (next === undefined) return done;
    if (steps > MAX_STEPS || done.length + open.length >= MAX_PARTS)
      throw upcastError(stored, `it splits into more than ${MAX_PARTS} events, or its splits form a cycle`);
    const results = step(types, next);
    if (results === null) done.push(next);
    else open.push(...results.toReversed());
  }
};

/** Runs one upcaster; `null` if the data has the current version. */
const step = (types: EventTypes, { type, version, data }: VersionedData): readonly VersionedData[] | null => {
  const known = types.get(type);
  if (known === undefined || known.version === version) return null;
  if (version > known.version)
    throw eventError(
      "EVENTS_NEWER_SCHEMA",
      `an event of type ${type} has version ${version}, but this code knows versions up to ${known.version}; deploy the code that wrote it`,
    );
  const result = convert(known.upcast[version] as (data: unknown) => unknown, { type, version, data }); // checked by eventType
  if (!(result instanceof SplitEvent)) return [{ type, version: version + 1, data: result }];
  return result.parts.map((part) => ({
    type: part.type,
    version: part.version ?? knownVersion(types, part.type, type),
    data: part.data,
  }));
};

const convert = (upcaster: (data: unknown) => unknown, from: VersionedData): unknown => {
  const result = call(upcaster, from);
  if (isPromise(result)) {
    result.then(undefined, () => {}); // a rejection without a listener would end the process
    throw upcastError(from, "its upcaster returned a promise; it must not be async");
  }
  if (result !== undefined) return result;
  throw upcastError(from, "its upcaster returned nothing; return the data, or `dropped`");
};

const call = (upcaster: (data: unknown) => unknown, from: VersionedData): unknown => {
  try {
    return upcaster(from.data);
  } catch (error) {
    throw upcastError(
      from,
      `its upcaster threw: ${FrameworkError.is(error) ? error.code : messageOf(error)}`,
      error,
    );
  }
};

const knownVersion = (types: EventTypes, type: string, from: string): number => {
  const known = types.get(type);
  if (known !== undefined) return known.version;
  throw eventError(
    "EVENTS_UPCAST_FAILED",
    `${from} splits into ${type}, which is not in the option \`events\``,
  );
};

const upcastError = ({ type, version }: VersionedData, problem: string, cause?: unknown): FrameworkError =>
  eventError(
    "EVENTS_UPCAST_FAILED",
    `an event of type ${type}, version ${version}, cannot be read: ${problem}`,
    cause,
  );
