import type { Clock } from "@framework/core/feature";
import { type Queries, sql, type Transaction } from "@framework/database";
import type { EventFilter, GlobalReader } from "../../global-order/global-reader.ts";
import { viewDecoder } from "../../reading/event-decoder.ts";
import { applyEvents, eventOf } from "../shards/apply-units.ts";
import { asOwner, type OwnShard } from "../shards/own-shard.ts";
import { isEventsFault } from "../shards/failures.ts";
import { advanceShard } from "../shards/shard-rows.ts";
import { unitsOf } from "../shards/units.ts";
import { AppendOpenError, lockInline, untilLocked } from "../versions/inline-lock.ts";
import { headOf, lockVersions, setStatus, tableNames, type VersionRow } from "../versions/projection-rows.ts";
import { pointViews } from "../versions/view-tables.ts";

/** Most positions that are read while appends wait. More are left to the shard, which a store that gets fewer in ten seconds lets catch up. */
const MAX_REST = 10_000;

/** A version that may go live. */
export interface Candidate {
  readonly shard: OwnShard;
  readonly filter: EventFilter;
  readonly reader: GlobalReader;
  readonly clock: Clock;
  /** Ends the wait for open appends. */
  readonly signal?: AbortSignal;
}

/**
 * Makes a version live in place of the present one, in one transaction, when its view is at least as far. Returns whether it did.
 *
 * @throws errors that no event is to blame for
 */
export const goLive = async (candidate: Candidate): Promise<boolean> => {
  const { shard } = candidate;
  const { base, projection } = shard;
  if (!projection.inline && !(await isAsFar(shard, base.db, sql``))) return false; // saves the locks
  const { clock, signal } = candidate;
  try {
    return await untilLocked({ base, clock, projection: projection.name, signal }, (waitMs) =>
      asOwner(shard, (tx) => swap(candidate, tx, waitMs)),
    );
  } catch (error) {
    if (error instanceof AppendOpenError) {
      if (signal?.aborted === true) return false;
      throw error;
    }
    if (projection.inline && isEventsFault(error)) return false; // the shard meets the same event next, and retries it
    throw error;
  }
};

const swap = async (candidate: Candidate, tx: Transaction, waitMs: number): Promise<boolean> => {
  const { base, projection } = candidate.shard;
  if (projection.inline) await lockInline(base, tx, waitMs); // before any row, as appends do
  const versions = await lockVersions(base, tx, projection.name);
  const own = versions.find(({ version }) => version === projection.version);
  const live = versions.find(({ status }) => status === "live");
  if (own?.status !== "building" || (live !== undefined && live.version > own.version)) return false;
  if (projection.inline && !(await readRest(candidate, tx))) return false;
  const lock = base.db.dialect === "postgres" ? sql`FOR UPDATE` : sql``;
  if (!projection.inline && !(await isAsFar(candidate.shard, tx, lock))) return false;
  for (const each of versions.filter(isReplacedBy(own))) await setStatus(base, tx, each, "retired");
  await setStatus(base, tx, own, "live");
  await pointViews(tx, own.version, tableNames(own), live === undefined ? [] : tableNames(live));
  base.log.info("event-sourcing: a version of a projection is live", {
    projection: own.name,
    version: own.version,
    replaced: live?.version,
  });
  return true;
};

/** Also an earlier version that is still being built: it can never go live, and its tables are to be dropped too. */
const isReplacedBy =
  (own: VersionRow) =>
  ({ status, version }: VersionRow): boolean =>
    version < own.version && (status === "live" || status === "building");

interface ShardPosition {
  readonly version: number;
  readonly position: number;
}

/** Whether every shard is at least as far as those of the live version, so that no reader sees an older state than before. */
const isAsFar = async (
  { place: { name, version } }: OwnShard,
  queries: Queries,
  lock: ReturnType<typeof sql>,
): Promise<boolean> => {
  const shards = await queries.query<ShardPosition>`SELECT version, position FROM framework_projection_shards
    WHERE name = ${name} AND (version = ${version} OR version IN (
      SELECT version FROM framework_projections WHERE name = ${name} AND status = 'live')) ORDER BY version, shard ${lock}`;
  const positions = (isOwn: boolean): number[] =>
    shards.filter((each) => (each.version === version) === isOwn).map(({ position }) => position);
  return Math.min(...positions(true)) >= Math.max(0, ...positions(false));
};

/**
 * Applies what was committed since the shard last looked. No append is open: this transaction has their lock. Returns `false` when that is much, as behind
 * an append that was open for minutes: the shard reads it first, while appends go on.
 */
const readRest = async ({ shard, filter, reader }: Candidate, tx: Transaction): Promise<boolean> => {
  const { base, projection, place } = shard;
  const from = await tx.fetchValue<number>`SELECT position FROM framework_projection_shards
    WHERE name = ${place.name} AND version = ${place.version} AND shard = 0`;
  if ((await headOf(tx)) - (from ?? 0) > MAX_REST) return false;
  for (let after = from ?? 0; ;) {
    const range = { after, to: Number.MAX_SAFE_INTEGER, limit: projection.batchSize, filter };
    const rows = await reader.rows(range, tx);
    const last = rows.at(-1);
    if (last === undefined) return true;
    const decoder = await viewDecoder(base, tx, rows);
    const units = unitsOf(projection, decoder, rows);
    await applyEvents(tx, projection, units.map(eventOf), true);
    await advanceShard(base, tx, place, after, last.position);
    after = last.position;
  }
};
