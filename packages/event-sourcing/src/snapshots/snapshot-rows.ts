import { createHash } from "node:crypto";
import { type Queries, sql, type Transaction } from "@framework/database";
import { paddedList } from "../base/padded-list.ts";
import type { StoreBase } from "../base/store-base.ts";
import { keyLock } from "../personal-data/subject-keys.ts";

/** Identifies a snapshot: of a stream, by a fold. */
export interface SnapshotRef {
  readonly tenant: string;
  readonly stream: string;
  /** Name of the fold. */
  readonly fold: string;
}

/** A stored snapshot. */
export interface SnapshotRow {
  readonly fold_version: number;
  readonly fold_hash: string;
  /** Version of the last event in it. */
  readonly version: number;
  /** Id of that event. */
  readonly event_id: string;
  /** JSON text. */
  readonly state: string;
  /** JSON text: ids of the keys of personal data in it. */
  readonly keys: string;
  readonly checksum: string;
}

/** Reads a snapshot, and the id of the event that its stream has at the same version; `null` if there is no snapshot. */
export const readSnapshot = (
  queries: Queries,
  { tenant, stream, fold }: SnapshotRef,
): Promise<(SnapshotRow & { readonly found_id: string | null }) | null> => {
  const last = sql`WHERE e.tenant = s.tenant AND e.stream = s.stream AND e.version = s.version`;
  return queries.fetchOne`SELECT fold_version, fold_hash, version, event_id, state, keys, checksum,
      coalesce((SELECT event_id FROM framework_events e ${last}), (SELECT event_id FROM framework_archived_events e ${last})) AS found_id
    FROM framework_snapshots s WHERE tenant = ${tenant} AND stream = ${stream} AND fold = ${fold}`;
};

/** Computes the checksum of a snapshot. */
export const checksumOf = (
  { fold }: SnapshotRef,
  { fold_version, fold_hash, version, event_id, state, keys }: Omit<SnapshotRow, "checksum">,
): string =>
  createHash("sha256")
    .update(JSON.stringify([fold, fold_version, fold_hash, version, event_id, state, keys]))
    .digest("base64");

/**
 * Stores a snapshot, unless the stored one is of a newer version of the fold, or of the same fold and at least as recent.
 *
 * @returns whether it was stored; `false` also if a person in the snapshot was forgotten meanwhile
 */
export const writeSnapshot = async (
  { db: { dialect }, now }: StoreBase,
  tx: Transaction,
  { tenant, stream, fold }: SnapshotRef,
  row: Omit<SnapshotRow, "checksum">,
  keys: readonly string[],
): Promise<boolean> => {
  if (keys.length > 0) {
    // locks the keys: `forget` waits for this commit, and then deletes the snapshot
    const known =
      await tx.query`SELECT id FROM framework_subject_keys WHERE id IN (${paddedList(keys)}) ${keyLock(dialect)}`;
    if (known.length < keys.length) return false;
  }
  const checksum = checksumOf({ tenant, stream, fold }, row);
  const { changes } = await tx.execute`INSERT INTO framework_snapshots AS s
      (tenant, stream, fold, fold_version, fold_hash, version, event_id, state, keys, checksum, taken_at)
    VALUES (${tenant}, ${stream}, ${fold}, ${row.fold_version}, ${row.fold_hash}, ${row.version},
      ${row.event_id}, ${row.state}, ${row.keys}, ${checksum}, ${now})
    ON CONFLICT (tenant, stream, fold) DO UPDATE SET fold_version = excluded.fold_version, fold_hash = excluded.fold_hash,
      version = excluded.version, event_id = excluded.event_id, state = excluded.state, keys = excluded.keys, checksum = excluded.checksum,
      taken_at = excluded.taken_at
    WHERE s.fold_version <= excluded.fold_version AND (s.version < excluded.version OR s.fold_hash <> excluded.fold_hash)`;
  if (changes === 0) return false;
  for (const key of keys)
    await tx.execute`INSERT INTO framework_snapshot_keys (key_id, tenant, stream, fold)
      VALUES (${key}, ${tenant}, ${stream}, ${fold}) ON CONFLICT DO NOTHING`;
  return true;
};

/** Deletes the snapshots of a stream. */
export const deleteSnapshots = async (tx: Queries, tenant: string, stream: string): Promise<void> => {
  await tx.execute`DELETE FROM framework_snapshots WHERE tenant = ${tenant} AND stream = ${stream}`;
  await tx.execute`DELETE FROM framework_snapshot_keys WHERE tenant = ${tenant} AND stream = ${stream}`;
};

/** Deletes the snapshots with personal data of a key. */
export const deleteSnapshotsOfKey = async (tx: Queries, key: string): Promise<void> => {
  await tx.execute`DELETE FROM framework_snapshots WHERE EXISTS (SELECT 1 FROM framework_snapshot_keys k
    WHERE k.key_id = ${key} AND k.tenant = framework_snapshots.tenant AND k.stream = framework_snapshots.stream
      AND k.fold = framework_snapshots.fold)`;
  await tx.execute`DELETE FROM framework_snapshot_keys WHERE key_id = ${key}`;
};
