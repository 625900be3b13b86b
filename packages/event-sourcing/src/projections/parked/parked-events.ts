import { sql } from "@framework/database";
import type { StoreBase } from "../../base/store-base.ts";
import { mistake } from "../../errors/event-error.ts";
import { fromPosition, toPosition } from "../../events/position.ts";
import { checkNumber } from "../../reading/read-stream.ts";
import { type ParkedRow, parkedColumns } from "../shards/parked-rows.ts";

/** An event that a projection could not apply, or one that waits behind it. */
export interface ParkedEvent {
  /** Key whose events are parked. */
  readonly key: string;
  /** Position of the event. */
  readonly position: string;
  /** `replay` while a replay is under way. */
  readonly state: "parked" | "replay";
  /** Failed attempts; 0 for one that waits behind another. */
  readonly attempts: number;
  /** The last error; `null` for one that waits behind another. */
  readonly error: string | null;
  /** When the event was parked. */
  readonly parkedAt: Date;
}

/** Which parked events. */
export interface ParkedFilter {
  /** Version of the projection. @default the highest of this process */
  readonly version?: number | undefined;
  /** Only those with this key. @default all */
  readonly key?: string | undefined;
  /** Most events, or keys to replay; 1 to 1,000. @default 100 */
  readonly limit?: number | undefined;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

interface Of {
  readonly name: string;
  readonly version: number;
}

/** Lists parked events, oldest first. */
export const listParked = async (
  { db }: StoreBase,
  { name, version }: Of,
  { key, limit }: ParkedFilter,
): Promise<readonly ParkedEvent[]> => {
  const rows = await db.query<ParkedRow>`SELECT ${parkedColumns} FROM framework_parked_events
    WHERE name = ${name} AND version = ${version} ${withKey(key)} ORDER BY position, part LIMIT ${checkLimit(limit)}`;
  return rows.map(({ position, parked_at, key: own, state, attempts, error }) => ({
    key: own,
    position: toPosition(position),
    state,
    attempts,
    error,
    parkedAt: new Date(parked_at),
  }));
};

/** Marks the events of the keys that were parked first for replay: their shards apply them. Returns how many. */
export const requestReplay = async (
  { db }: StoreBase,
  { name, version }: Of,
  { key, limit }: ParkedFilter,
): Promise<number> => {
  const { changes } = await db.execute`UPDATE framework_parked_events SET state = 'replay'
    WHERE name = ${name} AND version = ${version} AND state = 'parked' AND key IN (
      SELECT key FROM framework_parked_events WHERE name = ${name} AND version = ${version} ${withKey(key)}
      GROUP BY key ORDER BY min(position) LIMIT ${checkLimit(limit)})`;
  return changes;
};

/** Removes a parked event without applying it. Returns whether it was there. */
export const discardParked = async (
  { db, log }: StoreBase,
  { name, version }: Of,
  event: Pick<ParkedEvent, "key" | "position">,
  note: string,
): Promise<boolean> => {
  if (typeof note !== "string" || note.trim() === "")
    throw mistake("EVENTS_BAD_READ", "`note` says why the event is discarded; it is empty");
  const { changes } = await db.execute`DELETE FROM framework_parked_events
    WHERE name = ${name} AND version = ${version} AND key = ${event.key} AND position = ${fromPosition(event.position)}`;
  if (changes > 0)
    log.warn("event-sourcing: a parked event was discarded", { projection: name, version, ...event, note });
  return changes > 0;
};

const withKey = (key: string | undefined): ReturnType<typeof sql> =>
  key === undefined ? sql`` : sql`AND key = ${key}`;

/** @throws EVENTS_BAD_READ */
const checkLimit = (limit: number | undefined): number => {
  checkNumber("limit", limit, 1, MAX_LIMIT);
  return limit ?? DEFAULT_LIMIT;
};
