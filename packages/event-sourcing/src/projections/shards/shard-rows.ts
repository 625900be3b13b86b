import { sql, type Transaction } from "@framework/database";
import type { StoreBase } from "../../base/store-base.ts";
import { parkedOrigin } from "../versions/parked-origin.ts";
import { lastStored } from "../../global-order/last-stored.ts";
import type { VersionStatus } from "../versions/projection-rows.ts";

/** One shard of one version. */
export interface ShardRef {
  readonly name: string;
  readonly version: number;
  readonly shard: number;
}

/** A shard as it is stored. */
export interface ShardRow {
  /** Every event up to this position is in the view, or parked. */
  readonly position: number;
  /** `running`; `stopped` by an error; `ended` when its version is retired or cancelled. */
  readonly state: "running" | "stopped" | "ended";
  readonly status: VersionStatus;
  readonly is_inline: number;
  /** Whether parked events are marked for replay. */
  readonly replays: boolean;
}

/** Reads a shard; `null` if its version was dropped. */
export const readShard = async (
  { db, parked }: StoreBase,
  { name, version, shard }: ShardRef,
): Promise<ShardRow | null> => {
  const replays = parked.inOrder.isReplaying(parkedOrigin({ name, version }), shard);
  const row = await db.fetchOne<ShardRow>`SELECT s.position AS position, s.state AS state, p.status AS status,
      p.is_inline AS is_inline, ${replays} AS replays
    FROM framework_projection_shards s JOIN framework_projections p ON p.name = s.name AND p.version = s.version
    WHERE s.name = ${name} AND s.version = ${version} AND s.shard = ${shard}`;
  return row === null ? null : { ...row, replays: Boolean(row.replays) };
};

/** The shard is not at the position of this process: it has stopped or ended, or another process owns it. The transaction is rolled back. */
export class ShardMovedError extends Error {}

/** A shard after it was advanced. */
export interface MovedShard extends ShardRow {
  /** Whether the version has parked events: later events of their keys must also be parked. */
  readonly holds: boolean;
}

/**
 * Advances a shard, in the transaction of the view, never beyond the last event.
 *
 * @throws ShardMovedError unless it is at `from` and running, and `to` is at most the last event
 */
export const advanceShard = async (
  { now, parked }: StoreBase,
  tx: Transaction,
  { name, version, shard }: ShardRef,
  from: number,
  to: number,
): Promise<MovedShard> => {
  const ref = parkedOrigin({ name, version });
  const row =
    await tx.fetchOne<MovedShard>`UPDATE framework_projection_shards SET position = ${to}, updated_at = ${now}
    WHERE name = ${name} AND version = ${version} AND shard = ${shard} AND position = ${from} AND state = 'running' AND ${to} <= ${lastStored}
    RETURNING position, state, ${parked.inOrder.isHolding(ref)} AS holds, ${parked.inOrder.isReplaying(ref, shard)} AS replays,
      (SELECT status FROM framework_projections WHERE name = ${name} AND version = ${version}) AS status,
      (SELECT is_inline FROM framework_projections WHERE name = ${name} AND version = ${version}) AS is_inline`;
  if (row === null) throw new ShardMovedError(`shard ${shard} of ${name} ${version} is not at ${from}`);
  return { ...row, holds: Boolean(row.holds), replays: Boolean(row.replays) };
};

/** Shards of a projection: of one version or all, one shard or all. */
interface ShardFilter {
  readonly name: string;
  readonly version?: number | undefined;
  readonly shard?: number;
}

/** Stops running shards because of an error, or resumes stopped ones. Returns the number of changed shards. */
export const setShards = async (
  { db }: StoreBase,
  { name, version, shard }: ShardFilter,
  state: "running" | "stopped",
  error: string | null,
): Promise<number> => {
  const from = state === "running" ? "stopped" : "running";
  const ofVersion = version === undefined ? sql`` : sql`AND version = ${version}`;
  const one = shard === undefined ? sql`` : sql`AND shard = ${shard}`;
  const { changes } =
    await db.execute`UPDATE framework_projection_shards SET state = ${state}, error = ${error}
    WHERE name = ${name} AND state = ${from} ${ofVersion} ${one}`;
  return changes;
};
