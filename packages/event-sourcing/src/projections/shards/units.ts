import { createHash } from "node:crypto";
import { returnedInstead } from "@framework/core/feature";
import type { EventRow } from "../../events/event-row.ts";
import type { AnyEventType } from "../../events/event-type.ts";
import type { StoredEvent } from "../../events/stored-event.ts";
import type { EventDecoder } from "../../reading/event-decoder.ts";
import type { Projection } from "../definition/projection.ts";

/** One event for a projection, or the error of reading it. */
export interface Unit {
  readonly position: number;
  /** As it is stored. */
  readonly row: EventRow;
  /** Place among the events that upcasters made of one; −1 for all of them, when they could not be made. */
  readonly part: number;
  readonly key: string;
  readonly shard: number;
  readonly event: StoredEvent | null;
  /** Why it cannot be applied; `null` when it can. */
  readonly error: unknown;
}

/** `part` of a row that could not be read. */
export const UNREADABLE = -1;

/** Longest key, in characters. */
export const MAX_KEY = 500;

/** What decides which events of a row concern a projection. */
export type UnitsOptions = Pick<Projection, "types" | "key" | "shards">;

/** The events of rows that concern a projection. A row that cannot be read is one unit with its error: it must not be passed silently. */
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
  /** Names of the types that concern the projection; `undefined` for all. */
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

/** A key function that fails makes the event fail; it stays in the order of its stream. */
const keyOf = ({ key }: UnitsOptions, event: StoredEvent): { key: string; error: unknown } => {
  if (key === undefined) return { key: streamKey(event), error: null };
  try {
    const given: unknown = key(event);
    if (typeof given === "string" && given.length <= MAX_KEY)
      return { key: `${event.tenant}/${storable(given)}`, error: null };
    const found = typeof given === "string" ? "" : `, and returned ${returnedInstead(given)}`;
    return {
      key: streamKey(event),
      error: new TypeError(`\`key\` must return a text of at most ${MAX_KEY} characters${found}`),
    };
  } catch (error) {
    return { key: streamKey(event), error };
  }
};

/** PostgreSQL stores neither NUL nor half of a surrogate pair. Keys that differ only in these share their order. */
const storable = (text: string): string => text.replaceAll("\0", "\uFFFD").toWellFormed();

const streamKey = ({ tenant, stream }: { readonly tenant: string; readonly stream: string }): string =>
  `${tenant}/${stream}`;

/** The same in every process and release. */
const shardOf = (key: string, shards: number): number =>
  shards === 1 ? 0 : createHash("sha256").update(key).digest().readUInt32BE(0) % shards;

/**
 * Names of types to read, as stored, for a projection; `undefined` for all. Upcasters may make its types of others.
 *
 * @param known the types of the store
 */
export const storedTypes = (
  { types }: Projection,
  known: readonly AnyEventType[],
): readonly string[] | undefined => {
  if (types === undefined) return undefined;
  const sources = known.flatMap((each) => (Object.keys(each.upcast).length > 0 ? each.type : []));
  return [...new Set([...types.map(({ type }) => type), ...sources])];
};
