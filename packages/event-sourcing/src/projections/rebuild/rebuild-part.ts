import type { Clock } from "@framework/core/feature";
import { sql, type Transaction } from "@framework/database";
import type { StoreBase } from "../../base/store-base.ts";
import { mistake } from "../../errors/event-error.ts";
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

/** A part of a live view that is made again. */
export interface PartToRebuild {
  readonly base: StoreBase;
  readonly reader: GlobalReader;
  readonly clock: Clock;
  /** The versions of the projection that this process has. */
  readonly versions: readonly Projection[];
  readonly part: ViewPart;
  readonly filterOf: (projection: Projection) => EventFilter;
}

/**
 * Clears a part of the live view and applies its events again, in one transaction. Shards and appends wait meanwhile.
 *
 * @returns the number of events applied
 * @throws EVENTS_PART_REFUSED; errors of the projection. Nothing has changed then
 */
export const rebuildPart = ({ clock, ...given }: PartToRebuild): Promise<number> => {
  const { base, versions } = given;
  return untilLocked({ base, clock, projection: versions[0]?.name ?? "" }, (waitMs) =>
    rebuild(given, waitMs),
  );
};

const rebuild = (given: Rebuilt, waitMs: number): Promise<number> =>
  given.base.db.transaction(
    async (tx) => {
      if (given.versions.some(({ inline }) => inline)) await lockInline(given.base, tx, waitMs); // before any row, as appends do
      const projection = await liveVersion(given, tx);
      const reach = await lockShards(given.base, tx, projection);
      const { clear } = projection;
      if (clear === undefined) throw refused(projection, "it has no `clear`");
      const context = { tables: tablesOf(projection), isRebuild: true };
      await clear(tx, given.part, context);
      return await applyAgain(given, tx, { projection, reach });
    },
    { timeoutSecs: APPLY_TIMEOUT_SECS },
  );

type Rebuilt = Omit<PartToRebuild, "clock">;

/** Position up to which the view contains the events of a shard. */
type Reach = (shard: number) => number;

interface Locked {
  readonly projection: Projection;
  readonly reach: Reach;
}

const liveVersion = async ({ base, versions }: Rebuilt, tx: Transaction): Promise<Projection> => {
  const [first] = versions;
  const rows = first === undefined ? [] : await lockVersions(base, tx, first.name);
  const live = rows.find(({ status }) => status === "live");
  const own = versions.find(({ version }) => version === live?.version);
  if (own !== undefined) return own;
  throw mistake("EVENTS_PART_REFUSED", `this process does not have the live version of ${first?.name}`);
};

/** Keeps the shards where they are until the transaction ends. */
const lockShards = async (
  { db }: StoreBase,
  tx: Transaction,
  { name, version, inline }: Projection,
): Promise<Reach> => {
  const lock = db.dialect === "postgres" ? sql`FOR UPDATE` : sql``;
  const shards = await tx.query<{ shard: number; position: number }>`SELECT shard, position
    FROM framework_projection_shards WHERE name = ${name} AND version = ${version} ORDER BY shard ${lock}`;
  if (inline) return () => Number.MAX_SAFE_INTEGER; // it follows appends, of which none is open
  const positions = new Map(shards.map(({ shard, position }) => [shard, position]));
  return (shard) => positions.get(shard) ?? 0;
};

const applyAgain = async (
  given: Rebuilt,
  tx: Transaction,
  { projection, reach }: Locked,
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
      ({ position, shard }) => position <= reach(shard),
    );
    count += units.length;
    if (count > MAX_PART_EVENTS)
      throw refused(
        projection,
        `the part has more than ${MAX_PART_EVENTS} events; raise \`version\` instead`,
      );
    await expectNoneParked(base, tx, { name, version, shard: 0 }, units);
    await applyEvents(tx, projection, units.map(eventOf), true);
  }
};

/** Later events of a parked one's key are not in the view, and must not come before it. */
const expectNoneParked = async (
  base: StoreBase,
  tx: Transaction,
  place: { readonly name: string; readonly version: number; readonly shard: number },
  units: readonly Unit[],
): Promise<void> => {
  const [key] = (await heldKeys(base, tx, place, units)).keys();
  if (key !== undefined)
    throw refused(place, `events with the key ${key} are parked; replay or discard them first`);
};

const refused = ({ name }: { readonly name: string }, reason: string): Error =>
  mistake("EVENTS_PART_REFUSED", `a part of projection ${name} cannot be rebuilt: ${reason}`);
