import { sql } from "@framework/database";
import type { StoreBase } from "../../base/store-base.ts";
import { toPosition } from "../../events/position.ts";
import { PARKED_SOURCE, parkedOrigin } from "./parked-origin.ts";
import { headOf, type VersionStatus } from "./projection-rows.ts";

/** Status of a version of a projection. */
export interface ProjectionStatus {
  /** Name of the projection. */
  readonly name: string;
  /** Version of the view. */
  readonly version: number;
  /** Whether the version is being built, live, retired or cancelled. */
  readonly status: VersionStatus;
  /** Position up to which all shards have read. A live inline version is updated by appends, so it is always at the end. */
  readonly position: string;
  /** Fraction of the store that it has read, from 0 to 1. */
  readonly progress: number;
  /** Estimated seconds until it has read everything, at the speed so far; 0 if it has, `null` if unknown. */
  readonly etaSecs: number | null;
  /** Age in seconds of the oldest event that it has not read; 0 if it has read everything, or is retired or cancelled. */
  readonly lagSecs: number;
  /** Number of parked events. */
  readonly parked: number;
  /** Errors of stopped shards. */
  readonly errors: readonly string[];
}

interface StatusRow {
  readonly name: string;
  readonly version: number;
  readonly status: VersionStatus;
  readonly is_inline: number;
  readonly position: number;
  readonly total: number;
  readonly shards: number;
  readonly elapsed: number;
}

/** Reads the status of every version in the store. */
export const readStatus = async (base: StoreBase): Promise<readonly ProjectionStatus[]> => {
  const { db, now } = base;
  const head = await headOf(db);
  const rows = await db.query<StatusRow>`SELECT p.name AS name, p.version AS version, p.status AS status,
      p.is_inline AS is_inline, min(s.position) AS position, CAST(sum(s.position) AS BIGINT) AS total,
      count(*) AS shards, ${now} - min(p.started_at) AS elapsed
    FROM framework_projections p JOIN framework_projection_shards s ON s.name = p.name AND s.version = p.version
    GROUP BY p.name, p.version, p.status, p.is_inline ORDER BY p.name, p.version`;
  const parked = await base.parked.inOrder.counts(PARKED_SOURCE);
  return await Promise.all(
    rows.map(async (row) => ({
      ...(await statusOf(base, row, head)),
      parked: parked.get(parkedOrigin(row).name) ?? 0,
    })),
  );
};

const statusOf = async (
  base: StoreBase,
  { name, version, status, is_inline, ...row }: StatusRow,
  head: number,
): Promise<Omit<ProjectionStatus, "parked">> => {
  const isLiveInline = is_inline === 1 && status === "live";
  const position = isLiveInline ? head : row.position;
  const progress = isLiveInline || head === 0 ? 1 : Math.min(1, row.total / row.shards / head);
  const isRunning = status === "live" || status === "building";
  return {
    name,
    version,
    status,
    position: toPosition(position),
    progress,
    etaSecs: progress === 1 ? 0 : etaOf(progress, row.elapsed, isRunning),
    lagSecs: isRunning && position < head ? await lagAfter(base, position) : 0,
    errors: await errorsOf(base, name, version),
  };
};

const etaOf = (progress: number, elapsedMs: number, isRunning: boolean): number | null =>
  !isRunning || progress === 0 ? null : Math.ceil(((elapsedMs / progress) * (1 - progress)) / 1000);

const lagAfter = async ({ db, now }: StoreBase, position: number): Promise<number> => {
  const next = (table: string) =>
    sql`SELECT * FROM (SELECT position, recorded_at FROM ${sql.identifier(table)}
      WHERE position > ${position} ORDER BY position LIMIT 1) AS ${sql.identifier(`next_${table}`)}`;
  const lagMs = await db.fetchValue<number>`SELECT ${now} - recorded_at FROM
    (${next("framework_events")} UNION ALL ${next("framework_archived_events")}) AS next ORDER BY position LIMIT 1`;
  return Math.max(0, (lagMs ?? 0) / 1000);
};

const errorsOf = async ({ db }: StoreBase, name: string, version: number): Promise<readonly string[]> => {
  const rows = await db.query<{
    error: string;
  }>`SELECT coalesce(error, '') AS error FROM framework_projection_shards
    WHERE name = ${name} AND version = ${version} AND state = 'stopped' ORDER BY shard`;
  return rows.map(({ error }) => error);
};
