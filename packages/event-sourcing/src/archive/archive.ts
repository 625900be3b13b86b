import { type Queries, sql, type Statement } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import { deleteSnapshots } from "../snapshots/snapshot-rows.ts";

/** A stream of a tenant. */
export interface StreamRef {
  readonly tenant: string;
  readonly stream: string;
}

/**
 * Moves the events of a stream to the archive table, and deletes its snapshots. The stream is read as before, but accepts no events until it is restored.
 *
 * @param untouchedSince archives the stream only if it has had no event since then, in Unix ms
 * @returns `false` if the stream does not exist or is already archived
 */
export const archiveStream = async (
  { now }: StoreBase,
  tx: Queries,
  { tenant, stream }: StreamRef,
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

/** Makes an archived stream accept events again. Returns `false` if it was not archived. */
export const restoreStream = async (
  { now }: StoreBase,
  tx: Queries,
  { tenant, stream }: StreamRef,
): Promise<boolean> => {
  const { changes } = await tx.execute`UPDATE framework_streams SET archived_at = NULL, updated_at = ${now}
    WHERE tenant = ${tenant} AND stream = ${stream} AND archived_at IS NOT NULL`;
  if (changes === 0) return false;
  await move(tx, { tenant, stream }, sql`framework_archived_events`, sql`framework_events`);
  return true;
};

const move = async (
  tx: Queries,
  { tenant, stream }: StreamRef,
  from: Statement,
  to: Statement,
): Promise<void> => {
  const where = sql`WHERE tenant = ${tenant} AND stream = ${stream}`;
  await tx.execute`INSERT INTO ${to} (${columns}) SELECT ${columns} FROM ${from} ${where}`;
  await tx.execute`DELETE FROM ${from} ${where}`;
};

const columns = sql`position, tenant, stream, version, event_id, category, type, schema_version, data, metadata, recorded_at`;
