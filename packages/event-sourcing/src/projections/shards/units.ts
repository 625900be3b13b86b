import { createHash } from "node:crypto";
import { describeInvalid } from "@framework/core/feature";
import type { EventRow } from "../../events/event-row.ts";
import type { AnyEventType } from "../../events/event-type.ts";
import type { StoredEvent } from "../../events/stored-event.ts";
import type { EventDecoder } from "../../reading/event-decoder.ts";
import type { Projection } from "../definition/projection.ts";

/** One event for a projection, or the error of decoding it. */
export interface Unit {
  readonly position: number;
  /** The stored event. */
  readonly row: EventRow;
  /** Index among the events upcast from one stored event; −1 if the stored event could not be decoded. */
  readonly part: number;
  readonly key: string;
  readonly shard: number;
  readonly event: StoredEvent | null;
  /** The error of decoding the event or its key; `null` if there was none. */
  readonly error: unknown;
}

/** `part` of a row that could not be decoded. */
export const UNREADABLE = -1;

/** Maximum length of a key, in characters. */
export const MAX_KEY = 500;

/** Options of a projection that select and assign events. */
export type UnitsOptions = Pick<Projection, "types" | "key" | "shards">;

/** Returns the events of rows for a projection. A row that cannot be decoded is one unit with its error: it must not be skipped silently. */
export const unitsOf = (
  projection: UnitsOptions,
  decoder: EventDecoder,
  rows: readonly EventRow[],
): readonly Unit[] => {
  const types = projection.types?.map(({ type }) => type);
  const units: Unit[] = [];
  for (const row of rows) addUnits(units, { projection, types, decoder, row });
  return units;
};

interface UnitSource {
  readonly projection: UnitsOptions;
  /** Names of the event types of the projection; `undefined` for all. */
  readonly types: readonly string[] | undefined;
  readonly decoder: EventDecoder;
  readonly row: EventRow;
}

const addUnits = (units: Unit[], { projection, types, decoder, row }: UnitSource): void => {
  const { position } = row;
  const { shards } = projection;
  let events: readonly StoredEvent[];
  try {
    events = decoder.decode(row);
  } catch (error) {
    const key = streamKey(row);
    units.push({ position, row, part: UNREADABLE, key, shard: shardOf(key, shards), event: null, error });
    return;
  }
  for (const [part, event] of events.entries()) {
    if (types !== undefined && !types.includes(event.type)) continue;
    const { key, error } = keyOf(projection, event);
    units.push({ position, row, part, key, shard: shardOf(key, shards), event, error });
  }
};

/** If the key function fails, the event fails, and the stream is its key. */
const keyOf = ({ key }: UnitsOptions, event: StoredEvent): { key: string; error: unknown } => {
  if (key === undefined) return { key: streamKey(event), error: null };
  try {
    const given: unknown = key(event);
    if (typeof given === "string" && given.length <= MAX_KEY)
      return { key: `${event.tenant}/${storable(given)}`, error: null };
    const found = typeof given === "string" ? "" : `, not ${describeInvalid(given)}`;
    return {
      key: streamKey(event),
      error: new TypeError(`\`key\` must return a string of at most ${MAX_KEY} characters${found}`),
    };
  } catch (error) {
    return { key: streamKey(event), error };
  }
};

/** PostgreSQL cannot store NUL or half of a surrogate pair. Keys that differ only in these are treated as one. */
const storable = (text: string): string => text.replaceAll("\0", "\uFFFD").toWellFormed();

const streamKey = ({ tenant, stream }: { readonly tenant: string; readonly stream: string }): string =>
  `${tenant}/${stream}`;

/** Returns the shard of a key. Must give the same result in every process and release. */
const shardOf = (key: string, shards: number): number =>
  shards === 1 ? 0 : createHash("sha256").update(key).digest().readUInt32BE(0) % shards;

/**
 * Names of the stored event types to read for a projection; `undefined` for all. Includes types with upcasters, which may produce events of its types.
 *
 * @param known the event types of the store
 */
export const storedTypes = (
  { types }: Projection,
  known: readonly AnyEventType[],
): readonly string[] | undefined => {
  if (types === undefined) return undefined;
  const sources = known.flatMap((each) => (Object.keys(each.upcast).length > 0 ? each.type : []));
  return [...new Set([...types.map(({ type }) => type), ...sources])];
};
