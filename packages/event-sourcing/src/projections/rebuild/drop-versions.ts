import type { Transaction } from "@framework/database";
import type { StoreBase } from "../../base/store-base.ts";
import type { Projection } from "../definition/projection.ts";
import { parkedPlace } from "../versions/parked-place.ts";
import {
  insertVersion,
  lockVersions,
  setStatus,
  tableNames,
  type VersionRow,
} from "../versions/projection-rows.ts";
import { createTables, dropTables } from "../versions/view-tables.ts";

/**
 * Ends a version that is being built beside a live one, and drops its tables. Returns whether there was one.
 *
 * @param wanted the version; the highest that is being built without it
 */
export const cancelBuild = (base: StoreBase, name: string, wanted?: number): Promise<boolean> =>
  base.db.transaction(async (tx) => {
    const versions = await lockVersions(base, tx, name);
    const building = versions.findLast(
      ({ status, version }) => status === "building" && (wanted === undefined || version === wanted),
    );
    if (building === undefined || !versions.some(({ status }) => status === "live")) return false;
    await setStatus(base, tx, building, "cancelled");
    await forget(base, tx, building);
    return true;
  });

/** Begins a cancelled version again, from the first event. Returns whether it was cancelled, and no later version is live. */
export const buildAgain = (base: StoreBase, projection: Projection): Promise<boolean> =>
  base.db.transaction(async (tx) => {
    const versions = await lockVersions(base, tx, projection.name);
    const own = versions.find(({ version }) => version === projection.version);
    if (own?.status !== "cancelled") return false;
    if (versions.some(({ status, version }) => status === "live" && version > own.version)) return false;
    await removeRows(tx, own);
    await createTables(tx, projection);
    await insertVersion(base, tx, projection, "building");
    return true;
  });

/** Drops the tables of replaced versions whose time has passed. Returns how many. */
export const dropRetired = async (base: StoreBase, projections: readonly Projection[]): Promise<number> => {
  let dropped = 0;
  for (const { name, keepRetiredSecs } of projections)
    dropped += await base.db.transaction(async (tx) => {
      const { now } = base;
      const due = await tx.query<{ version: number }>`SELECT version FROM framework_projections
        WHERE name = ${name} AND status = 'retired' AND retired_at <= ${now} - ${keepRetiredSecs * 1000}`;
      const versions = due.length === 0 ? [] : await lockVersions(base, tx, name);
      const old = versions.filter(({ version }) => due.some((each) => each.version === version));
      for (const each of old) {
        await forget(base, tx, each);
        await removeRows(tx, each);
      }
      return old.length;
    });
  return dropped;
};

/** Drops its tables, and discards what it has parked. */
const forget = async ({ parked }: StoreBase, tx: Transaction, row: VersionRow): Promise<void> => {
  await dropTables(tx, row.version, tableNames(row));
  await parked.inOrder.discardAll(tx, parkedPlace(row), "the version of the projection was removed");
};

const removeRows = async (tx: Transaction, { name, version }: VersionRow): Promise<void> => {
  await tx.execute`DELETE FROM framework_projection_shards WHERE name = ${name} AND version = ${version}`;
  await tx.execute`DELETE FROM framework_projections WHERE name = ${name} AND version = ${version}`;
};
