import type { Clock } from "@framework/core/feature";
import { type Queries, sql, type Transaction } from "@framework/database";
import type { EventFilter, GlobalReader } from "../../global-order/global-reader.ts";
import { viewDecoder } from "../../reading/event-decoder.ts";
import { applyEvents, eventOf } from "../shards/apply-units.ts";
import { asOwner, type OwnShard } from "../shards/own-shard.ts";
import { isCausedByEvent } from "../shards/failures.ts";
import { advanceShard } from "../shards/shard-rows.ts";
import { unitsOf } from "../shards/units.ts";
import { AppendOpenError, lockInline, untilLocked } from "../versions/inline-lock.ts";
import { headOf, lockVersions, setStatus, tableNames, type VersionRow } from "../versions/projection-rows.ts";
import { pointViews } from "../versions/view-tables.ts";

/** Maximum number of positions to read while appends wait. If there are more, the shard catches up first. */
const MAX_REMAINING = 10_000;

/** A version that may go live, and the dependencies of `goLive`. */
export interface Candidate {
  readonly shard: OwnShard;
  readonly filter: EventFilter;
  readonly reader: GlobalReader;
  readonly clock: Clock;
  /** Cancels the wait for open appends. */
  readonly signal?: AbortSignal;
}

/**
 * Replaces the live version, in one transaction, if the new one has caught up with it. Returns whether the new version went live.
 *
 * @throws EVENTS_APPEND_OPEN; errors that were not caused by an event
 */
export const goLive = async (candidate: Candidate): Promise<boolean> => {
  const { shard } = candidate;
  const { base, projection } = shard;
  if (!projection.inline && !(await hasCaughtUp(shard, base.db, sql``))) return false; // avoids the locks
  const { clock, signal } = candidate;
  try {
    return await untilLocked({ base, clock, projection: projection.name, signal }, (waitMs) =>
      asOwner(shard, (tx) => replaceLive(candidate, tx, waitMs)),
    );
  } catch (error) {
    if (error instanceof AppendOpenError) {
      if (signal?.aborted === true) return false;
      throw error;
    }
    if (projection.inline && isCausedByEvent(error)) return false; // the shard reads the same event next, and retries it
    throw error;
  }
};

const replaceLive = async (candidate: Candidate, tx: Transaction, waitMs: number): Promise<boolean> => {
  const { base, projection } = candidate.shard;
  if (projection.inline) await lockInline(base, tx, waitMs); // before any row is locked, as in appends: avoids deadlocks
  const versions = await lockVersions(base, tx, projection.name);
  const own = versions.find(({ version }) => version === projection.version);
  const live = versions.find(({ status }) => status === "live");
  if (own?.status !== "building" || (live !== undefined && live.version > own.version)) return false;
  if (projection.inline && !(await applyRemaining(candidate, tx))) return false;
  const lock = base.db.dialect === "postgres" ? sql`FOR UPDATE` : sql``;
  if (!projection.inline && !(await hasCaughtUp(candidate.shard, tx, lock))) return false;
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

/** Matches earlier versions that are live or being built: the latter can no longer go live, and their tables must also be dropped. */
const isReplacedBy =
  (own: VersionRow) =>
  ({ status, version }: VersionRow): boolean =>
    version < own.version && (status === "live" || status === "building");

interface ShardPosition {
  readonly version: number;
  readonly position: number;
}

/** Whether every shard has read at least as far as all shards of the live version, so that readers never see an older state than before. */
const hasCaughtUp = async (
  { ref: { name, version } }: OwnShard,
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
 * Applies the events committed since the shard last read. No append is open, because this transaction holds the inline lock. Returns `false` if there are too many,
 * as after an append that was open for minutes: the shard reads them first, while appends continue.
 */
const applyRemaining = async ({ shard, filter, reader }: Candidate, tx: Transaction): Promise<boolean> => {
  const { base, projection, ref } = shard;
  const lock = base.db.dialect === "postgres" ? sql`FOR UPDATE` : sql``; // otherwise its owner could advance it meanwhile
  const from = await tx.fetchValue<number>`SELECT position FROM framework_projection_shards
    WHERE name = ${ref.name} AND version = ${ref.version} AND shard = 0 ${lock}`;
  if ((await headOf(tx)) - (from ?? 0) > MAX_REMAINING) return false;
  for (let after = from ?? 0; ;) {
    const range = { after, to: Number.MAX_SAFE_INTEGER, limit: projection.batchSize, filter };
    const rows = await reader.rows(range, tx);
    const last = rows.at(-1);
    if (last === undefined) return true;
    const decoder = await viewDecoder(base, tx, rows);
    const units = unitsOf(projection, decoder, rows);
    await applyEvents(tx, projection, units.map(eventOf), true);
    await advanceShard(base, tx, ref, after, last.position);
    after = last.position;
  }
};
