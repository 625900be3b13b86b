import type { Queries, Transaction } from "@framework/database";
import type { Failure, HeldState } from "@framework/durable/feature";
import type { StoreBase } from "../../base/store-base.ts";
import { toPosition } from "../../events/position.ts";
import { parkedOrigin } from "../versions/parked-origin.ts";
import type { ShardRef } from "./shard-rows.ts";
import type { Unit } from "./units.ts";

/** The limit of parked work is reached; the shard stops. */
export class TooManyParkedError extends Error {}

/** Returns the keys, among those of `units`, that have parked events: further events with these keys must also be parked. */
export const heldKeys = async (
  { parked }: StoreBase,
  queries: Queries,
  ref: ShardRef,
  units: readonly Unit[],
): Promise<ReadonlyMap<string, HeldState>> => {
  const keys = [...new Set(units.map(({ key }) => key))];
  return keys.length === 0 ? new Map() : await parked.inOrder.heldKeys(queries, parkedOrigin(ref), keys);
};

/** An event to park. */
export interface ParkedUnit {
  readonly unit: Unit;
  /** State of its key; `replaying` while its key is being replayed. */
  readonly state: HeldState;
  readonly attempts: number;
  /** The last error; `null` for an event that is parked because of an earlier one. */
  readonly failure: Failure | null;
}

/** Identifies the event of a parked item. The event's data is not copied, because the person in it may be forgotten before the replay. */
export interface ParkedDetail {
  readonly position: number;
  readonly part: number;
}

/** Parks events in the transaction that advances the shard past them. @throws TooManyParkedError */
export const parkUnits = async (
  { parked }: StoreBase,
  tx: Transaction,
  ref: ShardRef,
  units: readonly ParkedUnit[],
): Promise<void> => {
  if (units.length === 0) return;
  if (!(await parked.checkRoom(tx)))
    throw new TooManyParkedError("maxParked is reached; replay or discard parked work");
  for (const { unit, ...given } of units) {
    const { row, position, part, key } = unit;
    const { tenant, stream, version, type, event_id: id } = row;
    const reference = { position: toPosition(position), tenant, stream, version, type, id };
    const detail: ParkedDetail = { position, part };
    await parked.park(tx, {
      ...parkedOrigin(ref),
      ...given,
      key,
      lane: ref.shard,
      payload: JSON.stringify(reference),
      headers: null,
      detail: JSON.stringify(detail),
      firstAt: row.recorded_at,
    });
  }
};
