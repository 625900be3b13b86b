import { type Queries, sql, type Transaction } from "@framework/database";
import { paddedList } from "../../base/padded-list.ts";
import type { StoreBase } from "../../base/store-base.ts";
import type { ShardPlace } from "./shard-rows.ts";
import type { Unit } from "./units.ts";

/** Parked events of one version. A shard that would exceed it stops. */
export const MAX_PARKED = 100_000;
/** Characters of a stored error. */
const MAX_ERROR = 4000;

/** The version has parked as many events as it may; the shard stops. */
export class TooManyParkedError extends Error {}

/** Text of an error for people who look at what was parked. */
export const errorText = (error: unknown): string => {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.replaceAll("\u0000", "").slice(0, MAX_ERROR).toWellFormed();
};

/** Which of these keys have parked events, with the state of those. */
export const parkedKeys = async (
  queries: Queries,
  { name, version }: ShardPlace,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const rows = await queries.query<{ key: string; state: string }>`SELECT key, max(state) AS state
    FROM framework_parked_events WHERE name = ${name} AND version = ${version} AND key IN (${paddedList(keys)}) GROUP BY key`;
  return new Map(rows.map(({ key, state }) => [key, state]));
};

/** An event to park. */
export interface ParkedUnit {
  readonly unit: Unit;
  /** `replay` for one whose key is being replayed at this moment. */
  readonly state: string;
  readonly attempts: number;
  /** Text of the error; `null` for one that follows another. */
  readonly error: string | null;
}

/** Parks events in the transaction that passes them. @throws TooManyParkedError */
export const insertParked = async (
  { now }: StoreBase,
  tx: Transaction,
  { name, version, shard }: ShardPlace,
  parked: readonly ParkedUnit[],
): Promise<void> => {
  if (parked.length === 0) return;
  const count = await tx.fetchValue<number>`SELECT count(*) FROM (SELECT 1 FROM framework_parked_events
    WHERE name = ${name} AND version = ${version} LIMIT ${MAX_PARKED}) AS present`;
  if ((count ?? 0) + parked.length > MAX_PARKED)
    throw new TooManyParkedError(
      `projection ${name} ${version} has ${count} parked events; replay or discard them`,
    );
  for (const { unit, state, attempts, error } of parked)
    await tx.execute`INSERT INTO framework_parked_events
      (name, version, key, position, part, shard, state, attempts, error, parked_at)
      VALUES (${name}, ${version}, ${unit.key}, ${unit.position}, ${unit.part}, ${shard}, ${state}, ${attempts}, ${error}, ${now})`;
};

/** A parked event as it is stored. */
export interface ParkedRow {
  readonly key: string;
  readonly position: number;
  readonly part: number;
  readonly state: "parked" | "replay";
  readonly attempts: number;
  readonly error: string | null;
  /** Milliseconds since 1970. */
  readonly parked_at: number;
}

/** The next event of a shard to replay. */
export const nextReplay = async (
  queries: Queries,
  { name, version, shard }: ShardPlace,
): Promise<ParkedRow | null> =>
  await queries.fetchOne<ParkedRow>`SELECT ${parkedColumns} FROM framework_parked_events
    WHERE name = ${name} AND version = ${version} AND shard = ${shard} AND state = 'replay'
    ORDER BY position, part LIMIT 1`;

export const parkedColumns: ReturnType<typeof sql> =
  sql`key, position, part, state, attempts, error, parked_at`;
