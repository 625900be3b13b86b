import { failureOf, type ParkedDetails } from "@framework/durable/feature";
import { viewDecoder } from "../../reading/event-decoder.ts";
import { applyEvents, eventOf } from "../shards/apply-units.ts";
import { asOwner, type OwnShard } from "../shards/own-shard.ts";
import { isCausedByEvent } from "../shards/failures.ts";
import { parkedOrigin } from "../versions/parked-origin.ts";
import { ShardMovedError } from "../shards/shard-rows.ts";
import { parkedRows, parkedUnits } from "./parked-units.ts";

/**
 * Applies the oldest event marked for replay. If it fails again, it stays parked, with the events that follow it. Returns `false` if there was
 * none.
 */
export const replayNext = async (shard: OwnShard, isRebuild: boolean): Promise<boolean> => {
  const { base, projection, ref } = shard;
  const { inOrder } = base.parked;
  let current: ParkedDetails | null = null;
  try {
    await asOwner(shard, async (tx) => {
      current = await inOrder.next(tx, parkedOrigin(ref), ref.shard);
      if (current === null) return;
      if (!(await inOrder.markReplayed(tx, current))) throw new ShardMovedError("the event was discarded");
      const rows = await parkedRows(base, tx, current);
      const units = parkedUnits(projection, await viewDecoder(base, tx, rows), rows, current);
      await applyEvents(tx, projection, units.map(eventOf), isRebuild);
    });
    return current !== null;
  } catch (error) {
    const failed = current as ParkedDetails | null; // TypeScript does not follow the assignment in the function
    if (failed === null || !isCausedByEvent(error)) throw error;
    await asOwner(shard, (tx) => inOrder.parkAgain(tx, failed, failureOf(error)));
    return true;
  }
};
