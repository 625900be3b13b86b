import type { Queries, Transaction } from "@framework/database";
import type { Failure, HeldState } from "@framework/durable/feature";
import type { StoreBase } from "../../base/store-base.ts";
import { toPosition } from "../../events/position.ts";
import { parkedPlace } from "../versions/parked-place.ts";
import type { ShardPlace } from "./shard-rows.ts";
import type { Unit } from "./units.ts";

/** There is no room for more parked work; the shard stops. */
export class TooManyParkedError extends Error {}

/** Which keys of some events have parked ones: these must be parked too. */
export const heldKeys = async (
  { parked }: StoreBase,
  queries: Queries,
  place: ShardPlace,
  units: readonly Unit[],
): Promise<ReadonlyMap<string, HeldState>> => {
  const keys = [...new Set(units.map(({ key }) => key))];
  return keys.length === 0 ? new Map() : await parked.inOrder.heldKeys(queries, parkedPlace(place), keys);
};

/** An event to park. */
export interface ParkedUnit {
  readonly unit: Unit;
  /** State of its key; `replaying` for one whose key is being replayed at this moment. */
  readonly state: HeldState;
  readonly attempts: number;
  /** The last error; `null` for one that follows another. */
  readonly failure: Failure | null;
}

/** Which event a parked item is. The event stays in the store, because fields of it may be forgotten meanwhile. */
export interface ParkedDetail {
  readonly position: number;
  readonly part: number;
}

/** Parks events in the transaction that passes them. @throws TooManyParkedError */
export const parkUnits = async (
  { parked }: StoreBase,
  tx: Transaction,
  place: ShardPlace,
  units: readonly ParkedUnit[],
): Promise<void> => {
  if (units.length === 0) return;
  if (!(await parked.hasRoom(tx)))
    throw new TooManyParkedError("there is no room for more parked work; replay or discard some");
  for (const { unit, ...given } of units) {
    const { row, position, part, key } = unit;
    const { tenant, stream, version, type, event_id: id } = row;
    const reference = { position: toPosition(position), tenant, stream, version, type, id };
    const detail: ParkedDetail = { position, part };
    await parked.park(tx, {
      ...parkedPlace(place),
      ...given,
      key,
      lane: place.shard,
      payload: JSON.stringify(reference),
      headers: null,
      detail: JSON.stringify(detail),
      firstAt: row.recorded_at,
    });
  }
};
