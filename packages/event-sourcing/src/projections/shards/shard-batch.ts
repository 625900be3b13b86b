import type { Transaction } from "@framework/database";
import type { EventRow } from "../../events/event-row.ts";
import { mayBeSealed, plainDecoder, viewDecoder } from "../../reading/event-decoder.ts";
import type { OwnShard } from "./own-shard.ts";
import { type Unit, unitsOf } from "./units.ts";

/** A row of a batch. */
export interface BatchRow {
  readonly row: EventRow;
  /** Its events for the shard; `null` for a row with personal data, which is decoded in the transaction of the view because its person may be forgotten before. */
  readonly units: readonly Unit[] | null;
}

/** Decodes rows without personal data, and drops events of other shards. */
export const decodeAhead = (shard: OwnShard, rows: readonly EventRow[]): readonly BatchRow[] => {
  const decoder = plainDecoder(shard.base.types);
  const batch: BatchRow[] = [];
  for (const row of rows) {
    const units = mayBeSealed(row) ? null : ownUnits(shard, unitsOf(shard.projection, decoder, [row]));
    if (units === null || units.length > 0) batch.push({ row, units });
  }
  return batch;
};

/** Returns the events of a batch for the shard; decodes personal data in the transaction that stores the view. */
export const decodeInTransaction = async (
  shard: OwnShard,
  tx: Transaction,
  batch: readonly BatchRow[],
): Promise<readonly Unit[]> => {
  const sealed = batch.flatMap(({ row, units }) => (units === null ? row : []));
  const decoder = await viewDecoder(shard.base, tx, sealed);
  return batch.flatMap(
    ({ row, units }) => units ?? ownUnits(shard, unitsOf(shard.projection, decoder, [row])),
  );
};

const ownUnits = ({ projection, ref }: OwnShard, units: readonly Unit[]): readonly Unit[] =>
  projection.shards === 1 ? units : units.filter(({ shard }) => shard === ref.shard);
