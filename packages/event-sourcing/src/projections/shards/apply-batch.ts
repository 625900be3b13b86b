import { retryDelayMs } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import { failureOf } from "@framework/durable/feature";
import { Bell } from "../../base/bell.ts";
import { errorText } from "./error-text.ts";
import { heldKeys, parkUnits } from "./park-units.ts";
import { applyRows, type Stretch } from "./apply-units.ts";
import { asOwner, type OwnShard } from "./own-shard.ts";
import { isEventsFault } from "./failures.ts";
import { advanceShard, setShards, type ShardRow } from "./shard-rows.ts";
import { type BatchRow, decodeWithin } from "./shard-batch.ts";

/** What applying a batch needs besides the shard. */
export interface BatchNeeds {
  readonly shard: OwnShard;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly isRebuild: boolean;
}

/**
 * Applies the events of a batch: together, and one by one when that fails. One that fails at every attempt is parked, or stops the shard.
 *
 * @returns the shard as it is then; `null` when the events were applied one by one
 * @throws errors that no event is to blame for; what was committed before stays
 */
export const applyBatch = async (
  needs: BatchNeeds,
  rows: readonly BatchRow[],
  stretch: Stretch,
): Promise<ShardRow | null> => {
  try {
    return await applyRows(needs.shard, rows, stretch, needs.isRebuild);
  } catch (error) {
    if (!isEventsFault(error)) throw error;
    await oneByOne(needs, rows, stretch);
    return null;
  }
};

const oneByOne = async (
  needs: BatchNeeds,
  rows: readonly BatchRow[],
  { from, to }: Stretch,
): Promise<void> => {
  let at = from;
  for (const each of rows) {
    const { position } = each.row;
    if (!(await applyOrPark(needs, each, { from: at, to: position }))) return;
    at = position;
  }
  if (at < to) await applyRows(needs.shard, [], { from: at, to }, needs.isRebuild);
};

/** Returns whether the shard goes on. */
const applyOrPark = async (needs: BatchNeeds, row: BatchRow, stretch: Stretch): Promise<boolean> => {
  const { shard, clock, random, signal } = needs;
  const { retry, onError } = shard.projection;
  for (let attempt = 1; ; attempt++) {
    try {
      await applyRows(shard, [row], stretch, needs.isRebuild);
      return true;
    } catch (error) {
      if (!isEventsFault(error)) throw error;
      if (attempt === retry.attempts) {
        if (onError === "stop") return await stop(shard, stretch.to, error);
        await park(shard, row, stretch, error);
        return true;
      }
    }
    await new Bell(clock).wait(retryDelayMs(retry, attempt, random()), signal);
    if (signal.aborted) return false;
  }
};

const park = async (shard: OwnShard, row: BatchRow, { from, to }: Stretch, error: unknown): Promise<void> => {
  const { base, place, projection } = shard;
  const failure = failureOf(error);
  const { attempts } = projection.retry;
  const units = await asOwner(shard, async (tx) => {
    await advanceShard(base, tx, place, from, to);
    const units = await decodeWithin(shard, tx, [row]);
    const keys = await heldKeys(base, tx, place, units);
    const parked = units.map((unit) => {
      const state = keys.get(unit.key);
      return state === undefined
        ? { unit, state: "parked" as const, attempts, failure }
        : { unit, state, attempts: 0, failure: null };
    });
    await parkUnits(base, tx, place, parked);
    return units;
  });
  const { name, version } = place;
  const message = "event-sourcing: an event was parked, because the projection failed at every attempt";
  base.counts.parked++;
  base.log.error(message, { projection: name, version, key: units[0]?.key, error });
};

const stop = async ({ base, place }: OwnShard, position: number, error: unknown): Promise<false> => {
  await setShards(base, place, "stopped", `position ${position}: ${errorText(error)}`);
  const { name, version } = place;
  base.log.error("event-sourcing: a projection has stopped at an event that fails", {
    projection: name,
    version,
    shard: place.shard,
    error,
  });
  return false;
};
