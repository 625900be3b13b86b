import type { Transaction } from "@framework/database";
import type { StoredEvent } from "../../events/stored-event.ts";
import { heldKeys, parkUnits } from "./park-units.ts";
import type { Projection } from "../definition/projection.ts";
import { tablesOf } from "../versions/view-tables.ts";
import { asOwner, type OwnShard } from "./own-shard.ts";
import { advanceShard, type ShardRow } from "./shard-rows.ts";
import { type BatchRow, decodeWithin } from "./shard-batch.ts";
import type { Unit } from "./units.ts";

/** Part of the global order: after `from`, up to `to`. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/**
 * Applies events and moves the shard on, in one transaction. Events whose key has parked ones are parked behind them.
 *
 * @returns the shard as it is then
 * @throws the error of the projection; nothing has changed then
 */
export const applyRows = (
  shard: OwnShard,
  rows: readonly BatchRow[],
  stretch: Stretch,
  isRebuild: boolean,
): Promise<ShardRow> =>
  asOwner(shard, async (tx) => {
    const { base, place, projection } = shard;
    const moved = await advanceShard(base, tx, place, stretch.from, stretch.to);
    if (rows.length === 0) return moved;
    const units = await decodeWithin(shard, tx, rows);
    const applied = moved.holds ? await parkBehind(shard, tx, units) : units;
    await applyEvents(tx, projection, applied.map(eventOf), isRebuild);
    return moved;
  });

/** Parks the events whose key has parked ones; returns the others. */
const parkBehind = async (
  { base, place }: OwnShard,
  tx: Transaction,
  units: readonly Unit[],
): Promise<readonly Unit[]> => {
  const keys = await heldKeys(base, tx, place, units);
  const behind = units.flatMap((unit) => {
    const state = keys.get(unit.key);
    return state === undefined ? [] : { unit, state, attempts: 0, failure: null };
  });
  await parkUnits(base, tx, place, behind);
  return units.filter(({ key }) => !keys.has(key));
};

/** @throws the error of reading it */
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
