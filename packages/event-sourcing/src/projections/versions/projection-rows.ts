import { type Queries, sql, type Transaction } from "@framework/database";
import type { StoreBase } from "../../base/store-base.ts";
import { lastStored } from "../../global-order/last-stored.ts";
import type { Projection } from "../definition/projection.ts";

/**
 * Status of a version: `building` while another may be live, `live`, `retired` after a later one went live, `cancelled` by `Projections.cancel`. A live inline version
 * is updated by appends; all others that are building or live read events in the background.
 */
export type VersionStatus = "building" | "live" | "retired" | "cancelled";

/** A version of a projection as it is stored. */
export interface VersionRow {
  readonly name: string;
  readonly version: number;
  readonly shards: number;
  readonly is_inline: number;
  readonly status: VersionStatus;
  /** Names of its tables, as JSON. */
  readonly tables: string;
  /** Unix milliseconds. */
  readonly started_at: number;
}

/** Reads all versions of a projection, and locks them until the transaction ends. */
export const lockVersions = async (
  { db }: StoreBase,
  tx: Transaction,
  name: string,
): Promise<readonly VersionRow[]> => {
  const lock = db.dialect === "postgres" ? sql`FOR UPDATE` : sql``;
  return await tx.query<VersionRow>`SELECT ${columns} FROM framework_projections
    WHERE name = ${name} ORDER BY version ${lock}`;
};

const columns = sql`name, version, shards, is_inline, status, tables, started_at`;

/** Returns the names of a version's tables. */
export const tableNames = ({ tables }: VersionRow): readonly string[] => JSON.parse(tables) as string[];

/** Inserts a version, with its shards at the start of the global order. */
export const insertVersion = async (
  { now }: StoreBase,
  tx: Transaction,
  { name, version, shards, inline, tables }: Projection,
  status: VersionStatus,
): Promise<void> => {
  const liveAt = status === "live" ? now : sql`NULL`;
  await tx.execute`INSERT INTO framework_projections
    (name, version, shards, is_inline, status, tables, started_at, live_at)
    VALUES (${name}, ${version}, ${shards}, ${inline ? 1 : 0}, ${status},
      ${JSON.stringify(Object.keys(tables))}, ${now}, ${liveAt})`;
  for (let shard = 0; shard < shards; shard++)
    await tx.execute`INSERT INTO framework_projection_shards
      (name, version, shard, position, state, updated_at) VALUES (${name}, ${version}, ${shard}, 0, 'running', ${now})`;
};

/** Changes the status of a version. Unless it goes live, its shards end, which rolls back their open transactions. */
export const setStatus = async (
  { now }: StoreBase,
  tx: Transaction,
  { name, version }: Pick<VersionRow, "name" | "version">,
  status: VersionStatus,
): Promise<void> => {
  const at = status === "live" ? sql`, live_at = ${now}` : sql`, retired_at = ${now}`;
  await tx.execute`UPDATE framework_projections SET status = ${status} ${at}
    WHERE name = ${name} AND version = ${version}`;
  if (status === "live") return;
  await tx.execute`UPDATE framework_projection_shards SET state = 'ended'
    WHERE name = ${name} AND version = ${version}`;
};

/** Returns the position of the last event; 0 if there are none. */
export const headOf = async (queries: Queries): Promise<number> =>
  (await queries.fetchValue<number>`SELECT ${lastStored}`) ?? 0;
