import { type Clock, systemClock } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import type { StoreBase } from "../../base/store-base.ts";
import { REGISTER_LOCK, storeKey } from "../../base/store-locks.ts";
import { eventError } from "../../errors/event-error.ts";
import { lockInline, untilLocked } from "./inline-lock.ts";
import type { Projection } from "../definition/projection.ts";
import { headOf, insertVersion, lockVersions, type VersionRow } from "./projection-rows.ts";
import { createTables, pointViews } from "./view-tables.ts";

/**
 * Adds new versions to the store, with their tables. The first version of a projection is live at once, while it reads the existing events; an inline one
 * goes live when it has read them.
 *
 * @throws EVENTS_BAD_PROJECTION if an existing version was changed; EVENTS_APPEND_OPEN
 */
export const registerProjections = async (
  base: StoreBase,
  projections: readonly Projection[],
  clock: Clock = systemClock,
): Promise<void> => {
  for (const each of projections.toSorted((one, other) => one.version - other.version))
    await untilLocked({ base, clock, projection: each.name }, (waitMs) =>
      base.db.transaction((tx) => register(base, tx, each, waitMs)),
    );
};

const register = async (
  base: StoreBase,
  tx: Transaction,
  projection: Projection,
  waitMs: number,
): Promise<void> => {
  if (base.db.dialect === "postgres")
    await tx.query`SELECT pg_advisory_xact_lock(${REGISTER_LOCK}, ${storeKey})::text`; // other processes register the same versions
  const versions = await lockVersions(base, tx, projection.name);
  const present = versions.find(({ version }) => version === projection.version);
  if (present !== undefined) return check(base, projection, present, versions);
  if (versions.some(({ version }) => version > projection.version)) return warnOfNewer(base, projection);
  const isFirst = versions.length === 0;
  const isLive = isFirst && (!projection.inline || (await isEmpty(base, tx, waitMs)));
  await createTables(tx, projection);
  await insertVersion(base, tx, projection, isLive ? "live" : "building");
  if (isFirst) await pointViews(tx, projection.version, Object.keys(projection.tables), []);
};

/** Whether the store has no events; if so, blocks appends until the transaction ends. */
const isEmpty = async (base: StoreBase, tx: Transaction, waitMs: number): Promise<boolean> => {
  if ((await headOf(tx)) > 0) return false; // checked before the lock, which blocks appends
  await lockInline(base, tx, waitMs);
  return (await headOf(tx)) === 0;
};

const check = (
  base: StoreBase,
  projection: Projection,
  present: VersionRow,
  versions: readonly VersionRow[],
): void => {
  const { name, version, shards, inline, tables } = projection;
  const isSame =
    present.shards === shards &&
    present.is_inline === (inline ? 1 : 0) &&
    present.tables === JSON.stringify(Object.keys(tables));
  if (!isSame)
    throw eventError(
      "EVENTS_BAD_PROJECTION",
      `version ${version} of projection ${name} exists with different \`shards\`, \`inline\` or \`tables\`; raise \`version\``,
    );
  if (
    present.status === "retired" &&
    versions.some((each) => each.version > version && each.status === "live")
  )
    warnOfNewer(base, projection);
};

/** Logs that a later version exists: normal during a rolling deployment, or if the program still lists the old version after the new one went live. */
const warnOfNewer = ({ log }: StoreBase, { name, version }: Projection): void =>
  log.warn("event-sourcing: the store has a later version of the projection; this one does not run", {
    projection: name,
    version,
  });
