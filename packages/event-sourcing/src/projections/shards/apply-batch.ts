import { retryDelayMs } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import { failureOf } from "@framework/durable/feature";
import { WakeSignal } from "../../base/wake-signal.ts";
import { errorText } from "./error-text.ts";
import { heldKeys, parkUnits } from "./park-units.ts";
import { applyRows, type PositionRange } from "./apply-units.ts";
import { asOwner, type OwnShard } from "./own-shard.ts";
import { isCausedByEvent } from "./failures.ts";
import { advanceShard, setShards, type ShardRow } from "./shard-rows.ts";
import { type BatchRow, decodeInTransaction } from "./shard-batch.ts";

/** Dependencies of `applyBatch`. */
export interface BatchNeeds {
  readonly shard: OwnShard;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly isRebuild: boolean;
}

/**
 * Applies the events of a batch in one transaction, or one by one if that fails. An event that fails at every attempt is parked, or stops the shard.
 *
 * @returns the updated shard; `null` if the events were applied one by one
 * @throws errors that were not caused by an event; earlier commits remain
 */
export const applyBatch = async (
  needs: BatchNeeds,
  rows: readonly BatchRow[],
  range: PositionRange,
): Promise<ShardRow | null> => {
  try {
    return await applyRows(needs.shard, rows, range, needs.isRebuild);
  } catch (error) {
    if (!isCausedByEvent(error)) throw error;
    await applyOneByOne(needs, rows, range);
    return null;
  }
};

const applyOneByOne = async (
  needs: BatchNeeds,
  rows: readonly BatchRow[],
  { from, to }: PositionRange,
): Promise<void> => {
  let at = from;
  for (const each of rows) {
    const { position } = each.row;
    if (!(await applyOrPark(needs, each, { from: at, to: position }))) return;
    at = position;
  }
  if (at < to) await applyRows(needs.shard, [], { from: at, to }, needs.isRebuild);
};

/** Returns whether the shard continues. */
const applyOrPark = async (needs: BatchNeeds, row: BatchRow, range: PositionRange): Promise<boolean> => {
  const { shard, clock, random, signal } = needs;
  const { retry, onError } = shard.projection;
  for (let attempt = 1; ; attempt++) {
    try {
      await applyRows(shard, [row], range, needs.isRebuild);
      return true;
    } catch (error) {
      if (!isCausedByEvent(error)) throw error;
      if (attempt === retry.attempts) {
        if (onError === "stop") return await stop(shard, range.to, error);
        await park(shard, row, range, error);
        return true;
      }
    }
    await new WakeSignal(clock).wait(retryDelayMs(retry, attempt, random()), signal);
    if (signal.aborted) return false;
  }
};

const park = async (
  shard: OwnShard,
  row: BatchRow,
  { from, to }: PositionRange,
  error: unknown,
): Promise<void> => {
  const { base, ref, projection } = shard;
  const failure = failureOf(error);
  const { attempts } = projection.retry;
  const units = await asOwner(shard, async (tx) => {
    await advanceShard(base, tx, ref, from, to);
    const units = await decodeInTransaction(shard, tx, [row]);
    const keys = await heldKeys(base, tx, ref, units);
    const parked = units.map((unit) => {
      const state = keys.get(unit.key);
      return state === undefined
        ? { unit, state: "parked" as const, attempts, failure }
        : { unit, state, attempts: 0, failure: null };
    });
    await parkUnits(base, tx, ref, parked);
    return units;
  });
  const { name, version } = ref;
  const message = "event-sourcing: an event was parked because the projection failed at every attempt";
  base.counts.parked++;
  base.log.error(message, { projection: name, version, key: units[0]?.key, error });
};

const stop = async ({ base, ref }: OwnShard, position: number, error: unknown): Promise<false> => {
  await setShards(base, ref, "stopped", `position ${position}: ${errorText(error)}`);
  const { name, version } = ref;
  base.log.error("event-sourcing: a projection has stopped at an event that fails", {
    projection: name,
    version,
    shard: ref.shard,
    error,
  });
  return false;
};
