import { type Queries, sql, type Statement } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import { deleteSnapshots } from "../snapshots/snapshot-rows.ts";

/** A stream of a tenant. */
export interface StreamPlace {
  readonly tenant: string;
  readonly stream: string;
}

/**
 * Moves a stream out of the table that appends write to. It is read as before, but takes no events until `restore`.
 *
 * @param untouchedSince archives it only if it has had no event since then, in milliseconds since 1970
 * @returns whether it was archived: not when it does not exist, or is archived already
 */
export const archiveStream = async (
  { now }: StoreBase,
  tx: Queries,
  { tenant, stream }: StreamPlace,
  untouchedSince?: Statement,
): Promise<boolean> => {
  const untouched = untouchedSince === undefined ? sql`` : sql`AND updated_at < ${untouchedSince}`;
  const { changes } = await tx.execute`UPDATE framework_streams SET archived_at = ${now}
    WHERE tenant = ${tenant} AND stream = ${stream} AND archived_at IS NULL ${untouched}`;
  if (changes === 0) return false;
  await move(tx, { tenant, stream }, sql`framework_events`, sql`framework_archived_events`);
  await deleteSnapshots(tx, tenant, stream);
  return true;
};

/** Makes an archived stream take events again. Returns whether it was archived. */
export const restoreStream = async (
  { now }: StoreBase,
  tx: Queries,
  { tenant, stream }: StreamPlace,
): Promise<boolean> => {
  const { changes } = await tx.execute`UPDATE framework_streams SET archived_at = NULL, updated_at = ${now}
    WHERE tenant = ${tenant} AND stream = ${stream} AND archived_at IS NOT NULL`;
  if (changes === 0) return false;
  await move(tx, { tenant, stream }, sql`framework_archived_events`, sql`framework_events`);
  return true;
};

const move = async (
  tx: Queries,
  { tenant, stream }: StreamPlace,
  from: Statement,
  to: Statement,
): Promise<void> => {
  const where = sql`WHERE tenant = ${tenant} AND stream = ${stream}`;
  await tx.execute`INSERT INTO ${to} (${columns}) SELECT ${columns} FROM ${from} ${where}`;
  await tx.execute`DELETE FROM ${from} ${where}`;
};

const columns = sql`position, tenant, stream, version, event_id, category, type, schema_version, data, metadata, recorded_at`;
