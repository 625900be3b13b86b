import type { Transaction } from "@framework/database";
import type { StoredEvent } from "../../events/stored-event.ts";
import { heldKeys, parkUnits } from "./park-units.ts";
import type { Projection } from "../definition/projection.ts";
import { tablesOf } from "../versions/view-tables.ts";
import { asOwner, type OwnShard } from "./own-shard.ts";
import { advanceShard, type ShardRow } from "./shard-rows.ts";
import { type BatchRow, decodeInTransaction } from "./shard-batch.ts";
import type { Unit } from "./units.ts";

/** Range of the global order: after `from`, up to and including `to`. */
export interface PositionRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Applies events and advances the shard, in one transaction. Events whose key has parked events are parked after them.
 *
 * @returns the updated shard
 * @throws errors of the projection, ShardMovedError, TooManyParkedError, LeaseLostError; nothing has changed then
 */
export const applyRows = (
  shard: OwnShard,
  rows: readonly BatchRow[],
  range: PositionRange,
  isRebuild: boolean,
): Promise<ShardRow> =>
  asOwner(shard, async (tx) => {
    const { base, ref, projection } = shard;
    const moved = await advanceShard(base, tx, ref, range.from, range.to);
    if (rows.length === 0) return moved;
    const units = await decodeInTransaction(shard, tx, rows);
    const applied = moved.holds ? await parkBlocked(shard, tx, units) : units;
    await applyEvents(tx, projection, applied.map(eventOf), isRebuild);
    return moved;
  });

/** Parks events whose key has parked events; returns the others. */
const parkBlocked = async (
  { base, ref }: OwnShard,
  tx: Transaction,
  units: readonly Unit[],
): Promise<readonly Unit[]> => {
  const keys = await heldKeys(base, tx, ref, units);
  const blocked = units.flatMap((unit) => {
    const state = keys.get(unit.key);
    return state === undefined ? [] : { unit, state, attempts: 0, failure: null };
  });
  await parkUnits(base, tx, ref, blocked);
  return units.filter(({ key }) => !keys.has(key));
};

/** Returns the event of a unit. @throws the error of decoding it */
export const eventOf = ({ event, error }: Unit): StoredEvent => {
  if (error !== null || event === null) throw error;
  return event;
};

export const applyEvents = async (
  tx: Transaction,
  projection: Projection,
  events: readonly StoredEvent[],
  isRebuild: boolean,
): Promise<void> => {
  if (events.length > 0) await projection.apply(tx, events, { tables: tablesOf(projection), isRebuild });
};
