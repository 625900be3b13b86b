import { type Queries, sql } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import { deleteSnapshotsOfKey } from "../snapshots/snapshot-rows.ts";

/**
 * Deletes the key of a person, and the snapshots that contain personal data of that person.
 *
 * @returns `false` if there was no key
 */
export const forgetSubject = async (
  { db: { dialect } }: StoreBase,
  tx: Queries,
  tenant: string,
  subject: string,
): Promise<boolean> => {
  const where = sql`WHERE tenant = ${tenant} AND subject = ${subject}`;
  // SQLite leaves deleted bytes in the file until it reuses the page: overwrite them.
  if (dialect === "sqlite")
    await tx.execute`UPDATE framework_subject_keys SET secret = zeroblob(32) ${where}`;
  const [key] = await tx.query<{ id: string }>`DELETE FROM framework_subject_keys ${where} RETURNING id`;
  if (key === undefined) return false;
  await deleteSnapshotsOfKey(tx, key.id);
  return true;
};
