import type { Clock } from "@framework/core/feature";
import { sql, type Transaction } from "@framework/database";
import type { StoreBase } from "../../base/store-base.ts";
import { eventError } from "../../errors/event-error.ts";
import type { EventRow } from "../../events/event-row.ts";
import type { EventFilter, GlobalReader } from "../../global-order/global-reader.ts";
import { MAX_PART_EVENTS } from "../../limits.ts";
import { viewDecoder } from "../../reading/event-decoder.ts";
import type { Projection, ViewPart } from "../definition/projection.ts";
import { applyEvents, eventOf } from "../shards/apply-units.ts";
import { APPLY_TIMEOUT_SECS } from "../shards/own-shard.ts";
import { heldKeys } from "../shards/park-units.ts";
import { type Unit, unitsOf } from "../shards/units.ts";
import { lockInline, untilLocked } from "../versions/inline-lock.ts";
import { lockVersions } from "../versions/projection-rows.ts";
import { tablesOf } from "../versions/view-tables.ts";

/** The part of a live view to rebuild, and the dependencies of `rebuildPart`. */
export interface PartToRebuild {
  readonly base: StoreBase;
  readonly reader: GlobalReader;
  readonly clock: Clock;
  /** Versions of the projection in this process. */
  readonly versions: readonly Projection[];
  readonly part: ViewPart;
  readonly filterOf: (projection: Projection) => EventFilter;
}

/**
 * Clears a part of the live view and applies its events again, in one transaction. Its shards wait meanwhile, or all appends if the view is inline.
 *
 * @returns the number of events applied
 * @throws EVENTS_PART_REFUSED, EVENTS_APPEND_OPEN; errors of the projection. After an error, nothing has changed
 */
export const rebuildPart = ({ clock, ...given }: PartToRebuild): Promise<number> => {
  const { base, versions } = given;
  return untilLocked({ base, clock, projection: versions[0]?.name ?? "" }, (waitMs) =>
    rebuild(given, waitMs),
  );
};

const rebuild = (given: RebuildNeeds, waitMs: number): Promise<number> =>
  given.base.db.transaction(
    async (tx) => {
      if (given.versions.some(({ inline }) => inline)) await lockInline(given.base, tx, waitMs); // before any row is locked, as in appends: avoids deadlocks
      const projection = await liveVersion(given, tx);
      const appliedTo = await lockShards(given.base, tx, projection);
      const { clear } = projection;
      if (clear === undefined) throw refusalError(projection, "it has no `clear`");
      const context = { tables: tablesOf(projection), isRebuild: true };
      await clear(tx, given.part, context);
      return await reapply(given, tx, { projection, appliedTo });
    },
    { timeoutSecs: APPLY_TIMEOUT_SECS },
  );

type RebuildNeeds = Omit<PartToRebuild, "clock">;

/** Returns the position up to which the view contains the events of a shard. */
type AppliedTo = (shard: number) => number;

interface LockedVersion {
  readonly projection: Projection;
  readonly appliedTo: AppliedTo;
}

const liveVersion = async ({ base, versions }: RebuildNeeds, tx: Transaction): Promise<Projection> => {
  const [first] = versions;
  const rows = first === undefined ? [] : await lockVersions(base, tx, first.name);
  const live = rows.find(({ status }) => status === "live");
  const own = versions.find(({ version }) => version === live?.version);
  if (own !== undefined) return own;
  throw eventError("EVENTS_PART_REFUSED", `this process does not have the live version of ${first?.name}`);
};

/** Locks the positions of the shards until the transaction ends. */
const lockShards = async (
  { db }: StoreBase,
  tx: Transaction,
  { name, version, inline }: Projection,
): Promise<AppliedTo> => {
  const lock = db.dialect === "postgres" ? sql`FOR UPDATE` : sql``;
  const shards = await tx.query<{ shard: number; position: number }>`SELECT shard, position
    FROM framework_projection_shards WHERE name = ${name} AND version = ${version} ORDER BY shard ${lock}`;
  if (inline) return () => Number.MAX_SAFE_INTEGER; // updated by appends, none of which is open
  const positions = new Map(shards.map(({ shard, position }) => [shard, position]));
  return (shard) => positions.get(shard) ?? 0;
};

const reapply = async (
  given: RebuildNeeds,
  tx: Transaction,
  { projection, appliedTo }: LockedVersion,
): Promise<number> => {
  const { base, part } = given;
  const { name, version, batchSize } = projection;
  const filter = { ...given.filterOf(projection), ...part };
  let count = 0;
  for (let after = 0; ;) {
    const range = { after, to: Number.MAX_SAFE_INTEGER, limit: batchSize, filter };
    const rows: readonly EventRow[] = await given.reader.rows(range, tx);
    const last = rows.at(-1);
    if (last === undefined) return count;
    after = last.position;
    const decoder = await viewDecoder(base, tx, rows);
    const units = unitsOf(projection, decoder, rows).filter(
      ({ position, shard }) => position <= appliedTo(shard),
    );
    count += units.length;
    if (count > MAX_PART_EVENTS)
      throw refusalError(
        projection,
        `the part has more than ${MAX_PART_EVENTS} events; raise \`version\` instead`,
      );
    await expectNoneParked(base, tx, { name, version, shard: 0 }, units);
    await applyEvents(tx, projection, units.map(eventOf), true);
  }
};

/** Rejects parts with parked events: later events of the same key are not in the view, and must not be applied before the parked ones. */
const expectNoneParked = async (
  base: StoreBase,
  tx: Transaction,
  ref: { readonly name: string; readonly version: number; readonly shard: number },
  units: readonly Unit[],
): Promise<void> => {
  const [key] = (await heldKeys(base, tx, ref, units)).keys();
  if (key !== undefined)
    throw refusalError(ref, `events with the key ${key} are parked; replay or discard them first`);
};

const refusalError = ({ name }: { readonly name: string }, reason: string): Error =>
  eventError("EVENTS_PART_REFUSED", `a part of projection ${name} cannot be rebuilt: ${reason}`);
