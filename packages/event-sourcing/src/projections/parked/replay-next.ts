import { eventColumns, type EventRow } from "../../events/event-row.ts";
import type { Queries } from "@framework/database";
import { decoderFor } from "../../reading/event-decoder.ts";
import { applyEvents, asOwner, eventOf, type OwnShard } from "../shards/apply-units.ts";
import { isEventsFault } from "../shards/failures.ts";
import { ShardMovedError } from "../shards/shard-rows.ts";
import { type Unit, unitsOf, UNREADABLE } from "../shards/units.ts";
import { errorText, nextReplay, type ParkedRow } from "../shards/parked-rows.ts";

/** Applies the oldest event to be replayed, and removes it. When it fails again, its key is parked as before. */
export const replayNext = async (shard: OwnShard): Promise<void> => {
  let current: ParkedRow | null = null;
  try {
    await asOwner(shard, async (tx) => {
      current = await nextReplay(tx, shard.place);
      if (current !== null) await replay(shard, tx, current);
    });
  } catch (error) {
    if (current === null || !isEventsFault(error)) throw error;
    await parkAgain(shard, current, error);
  }
};

type ShardTransaction = Parameters<Parameters<typeof asOwner>[1]>[0];

const replay = async (
  shard: OwnShard,
  tx: ShardTransaction,
  { key, position, part }: ParkedRow,
): Promise<void> => {
  const { name, version } = shard.place;
  const { changes } =
    await tx.execute`DELETE FROM framework_parked_events WHERE name = ${name} AND version = ${version}
    AND key = ${key} AND position = ${position} AND part = ${part} AND state = 'replay'`;
  if (changes !== 1) throw new ShardMovedError(`the parked event ${position} was discarded`);
  const units = await unitsAt(shard, tx, position, part);
  await applyEvents(tx, shard.projection, units.map(eventOf), false);
  // Those that were parked behind it while the replay was requested.
  await tx.execute`UPDATE framework_parked_events SET state = 'replay'
    WHERE name = ${name} AND version = ${version} AND key = ${key} AND state = 'parked'`;
};

/** The event, or all that upcasters make of one that could not be read; none when code of now makes none of it. */
const unitsAt = async (
  { base, projection }: OwnShard,
  queries: Queries,
  position: number,
  part: number,
): Promise<readonly Unit[]> => {
  const columns = eventColumns(base.db.dialect);
  const rows =
    await queries.query<EventRow>`SELECT ${columns} FROM framework_events WHERE position = ${position}
    UNION ALL SELECT ${columns} FROM framework_archived_events WHERE position = ${position}`;
  const decoder = await decoderFor(queries, base.types, rows);
  const units = rows.flatMap((row) => unitsOf(projection, decoder, row));
  return part === UNREADABLE ? units : units.filter((each) => each.part === part);
};

const parkAgain = async (shard: OwnShard, row: ParkedRow, error: unknown): Promise<void> => {
  const { name, version } = shard.place;
  const { key, position, part } = row;
  await asOwner(shard, async (tx) => {
    await tx.execute`UPDATE framework_parked_events SET state = 'parked'
      WHERE name = ${name} AND version = ${version} AND key = ${key}`;
    await tx.execute`UPDATE framework_parked_events SET attempts = attempts + 1, error = ${errorText(error)}
      WHERE name = ${name} AND version = ${version} AND key = ${key} AND position = ${position} AND part = ${part}`;
  });
};
