import type { Transaction } from "@framework/database";
import type { StoreBase } from "../../base/store-base.ts";
import type { Projection } from "../definition/projection.ts";
import { parkedOrigin } from "../versions/parked-origin.ts";
import {
  insertVersion,
  lockVersions,
  setStatus,
  tableNames,
  type VersionRow,
} from "../versions/projection-rows.ts";
import { createTables, dropTables } from "../versions/view-tables.ts";

/**
 * Cancels the build of a new version, and drops its tables. Returns `false` if none was being built, or none is live.
 *
 * @param wanted the version; by default the highest that is being built
 */
export const cancelBuild = (base: StoreBase, name: string, wanted?: number): Promise<boolean> =>
  base.db.transaction(async (tx) => {
    const versions = await lockVersions(base, tx, name);
    const building = versions.findLast(
      ({ status, version }) => status === "building" && (wanted === undefined || version === wanted),
    );
    if (building === undefined || !versions.some(({ status }) => status === "live")) return false;
    await setStatus(base, tx, building, "cancelled");
    await dropVersion(base, tx, building);
    return true;
  });

/** Restarts the build of a cancelled version, from the first event. Returns `false` if it was not cancelled, or a later version is live. */
export const restartBuild = (base: StoreBase, projection: Projection): Promise<boolean> =>
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

/** Drops the tables of replaced versions after `keepRetiredSecs`. Returns the number of versions. */
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
        await dropVersion(base, tx, each);
        await removeRows(tx, each);
      }
      return old.length;
    });
  return dropped;
};

/** Drops the tables of a version, and discards its parked events. */
const dropVersion = async ({ parked }: StoreBase, tx: Transaction, row: VersionRow): Promise<void> => {
  await dropTables(tx, row.version, tableNames(row));
  await parked.inOrder.discardAll(tx, parkedOrigin(row), "the version of the projection was removed");
};

const removeRows = async (tx: Transaction, { name, version }: VersionRow): Promise<void> => {
  await tx.execute`DELETE FROM framework_projection_shards WHERE name = ${name} AND version = ${version}`;
  await tx.execute`DELETE FROM framework_projections WHERE name = ${name} AND version = ${version}`;
};
