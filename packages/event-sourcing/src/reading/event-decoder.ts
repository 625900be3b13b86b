import { type Queries, sql, type Statement, type Transaction } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import { eventError } from "../errors/event-error.ts";
import { noMetadata } from "../events/event-metadata.ts";
import type { EventRow } from "../events/event-row.ts";
import type { EventTypes } from "../events/event-types.ts";
import type { Json } from "../events/json.ts";
import { toPosition } from "../events/position.ts";
import type { StoredEvent } from "../events/stored-event.ts";
import { upcast } from "../events/upcast.ts";
import { openFields, SEAL, type Seal } from "../personal-data/sealed-fields.ts";
import { keyLock, secretsOfKeys } from "../personal-data/subject-keys.ts";

/** Decodes stored rows into events: decrypts, then upcasts. */
export interface EventDecoder {
  /** Returns the events of a row: one, unless an upcaster splits or drops it. @throws EVENTS_NEWER_SCHEMA, EVENTS_UPCAST_FAILED, EVENTS_UNREADABLE */
  decode(row: EventRow): readonly StoredEvent[];
  /** Ids of the keys that decrypt the personal data of these rows. */
  readonly keys: readonly string[];
}

/** Creates a decoder for the given rows, and reads the keys of their personal data. */
export const decoderFor = (
  queries: Queries,
  types: EventTypes,
  rows: readonly EventRow[],
): Promise<EventDecoder> => decoderWith(queries, types, rows, sql``);

/** Creates a decoder for rows that the transaction stores in a view. It locks the keys, so that `forget` waits for the commit. */
export const viewDecoder = (
  { db, types }: StoreBase,
  tx: Transaction,
  rows: readonly EventRow[],
): Promise<EventDecoder> => decoderWith(tx, types, rows, keyLock(db.dialect));

const decoderWith = async (
  queries: Queries,
  types: EventTypes,
  rows: readonly EventRow[],
  lock: Statement,
): Promise<EventDecoder> => {
  const ids = new Set<string>();
  for (const row of rows) if (mayBeSealed(row)) addKey(row, ids);
  if (ids.size === 0) return plainDecoder(types);
  const secrets = await secretsOfKeys(queries, [...ids], lock);
  return { decode: (row) => decode(types, row, secrets), keys: [...secrets.keys()] };
};

const addKey = (row: EventRow, ids: Set<string>): void => {
  const seal = metadataOf(row)[SEAL] as Seal | undefined; // written by sealFields
  if (seal !== undefined) ids.add(seal.key);
};

/** Creates a decoder for rows without personal data. */
export const plainDecoder = (types: EventTypes): EventDecoder => ({
  decode: (row) => decode(types, row, noSecrets),
  keys: [],
});

const noSecrets: ReadonlyMap<string, Uint8Array> = new Map();

/** Whether a row may have personal data. A substring search, to avoid parsing the metadata of other rows. */
export const mayBeSealed = ({ metadata }: EventRow): boolean => metadata?.includes(`"${SEAL}"`) === true;

const metadataOf = (row: EventRow): Record<string, Json | undefined> =>
  row.metadata === null ? {} : (parse(row, "metadata", row.metadata) as Record<string, Json | undefined>); // written by metadataText

const decode = (
  types: EventTypes,
  row: EventRow,
  secrets: ReadonlyMap<string, Uint8Array>,
): readonly StoredEvent[] => {
  const event: StoredEvent = {
    type: row.type,
    data: parse(row, "data", row.data),
    id: row.event_id,
    stream: row.stream,
    tenant: row.tenant,
    version: row.version,
    position: toPosition(row.position),
    metadata: row.metadata === null ? noMetadata : metadataOf(row),
    recordedAt: new Date(row.recorded_at),
  };
  const decrypted = mayBeSealed(row) ? decrypt(types, event, secrets) : event;
  const known = types.get(row.type);
  if (known === undefined || known.version === row.schema_version) return [decrypted];
  const parts = upcast(types, { type: row.type, version: row.schema_version, data: decrypted.data });
  return parts.map(({ type, data }, part) => ({ ...decrypted, type, data, id: partId(row.event_id, part) }));
};

/** Keeps ids unique when an event is split. */
const partId = (id: string, part: number): string => (part === 0 ? id : `${id}#${part}`);

const parse = ({ event_id, stream }: EventRow, name: "data" | "metadata", text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw eventError(
      "EVENTS_UNREADABLE",
      `the ${name} of event ${event_id} in stream ${stream} is not JSON`,
      error,
    );
  }
};

const decrypt = (
  types: EventTypes,
  event: StoredEvent,
  secrets: ReadonlyMap<string, Uint8Array>,
): StoredEvent => {
  const { [SEAL]: recorded, ...metadata } = event.metadata;
  if (recorded === undefined) return event;
  const seal = recorded as unknown as Seal; // written by sealFields
  const placeholders = types.get(event.type)?.personal?.placeholders ?? {};
  const data = openFields(
    event.data as Record<string, unknown>,
    seal,
    secrets.get(seal.key),
    event,
    placeholders,
  );
  return { ...event, data, metadata };
};
