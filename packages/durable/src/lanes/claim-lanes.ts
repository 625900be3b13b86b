import { type Row, sql, type Transaction } from "@framework/database";
import type { KernelBase } from "../base/kernel-base.ts";
import { claimLock } from "../leases/lease-statements.ts";
import { fairShare } from "./fair-share.ts";

/** Options of `claimLanes`. */
export interface ClaimLanesOptions {
  readonly kind: string;
  /** Number of lanes of the kind. */
  readonly count: number;
  /** Number of lanes that this process holds. */
  readonly held: number;
  /** Lanes that this process must not claim, because a previous run of them has not returned. */
  readonly except: readonly number[];
}

/** A claimed lane. */
export interface ClaimedLane {
  readonly lane: number;
  /** Name of its lease. */
  readonly name: string;
  readonly fence: number;
}

/**
 * Claims free and expired lanes, up to the fair share of this process. Returns `null` until processes with another number of lanes have stopped.
 *
 * Claims of a kind are serialised by its row, so all compute the same shares.
 */
export const claimLanes = (
  base: KernelBase,
  options: ClaimLanesOptions,
): Promise<readonly ClaimedLane[] | null> =>
  base.db.transaction(async (tx) => {
    if (!(await ensureLaneCount(tx, base, options))) return null;
    const { id, now } = base;
    const { kind, count, held } = options;
    const members = await tx.query<{ owner: string }>`SELECT owner FROM framework_lane_members
      WHERE kind = ${kind} AND lanes = ${count} AND lease_until > ${now} ORDER BY joined_at, owner`;
    const share = fairShare(
      members.map(({ owner }) => owner),
      id,
      count,
    );
    return share <= held ? [] : await claim(tx, base, options, share - held);
  });

const claim = async (
  tx: Transaction,
  { db, id, now, config }: KernelBase,
  { kind, except }: ClaimLanesOptions,
  limit: number,
): Promise<readonly ClaimedLane[]> => {
  const others = except.length === 0 ? sql`` : sql`AND name NOT IN (${sql.list(except.map(nameOf))})`;
  const rows = await tx.query<{ name: string; fence: number }>`
    WITH free AS MATERIALIZED (
      SELECT name FROM framework_leases
      WHERE kind = ${kind} AND (owner IS NULL OR lease_until <= ${now} OR owner = ${id}) ${others}
      ORDER BY name LIMIT ${limit} ${claimLock[db.dialect]}
    )
    UPDATE framework_leases SET owner = ${id}, lease_until = ${now} + ${config.leaseMs}, fence = fence + 1
    FROM free WHERE framework_leases.kind = ${kind} AND framework_leases.name = free.name
    RETURNING framework_leases.name AS name, fence`;
  return rows.map(({ name, fence }) => ({ lane: Number(name), name, fence }));
};

/** Locks the kind, and changes its number of lanes to `count` if no process runs another number. Returns whether the number is `count`. */
const ensureLaneCount = async (
  tx: Transaction,
  base: KernelBase,
  { kind, count }: ClaimLanesOptions,
): Promise<boolean> => {
  const lock = base.db.dialect === "postgres" ? sql`FOR UPDATE` : sql``;
  const read = sql`SELECT lanes FROM framework_lanes WHERE kind = ${kind} ${lock}`;
  let lanes = await tx.fetchValue<number>(read);
  if (lanes === null) {
    await tx.execute`INSERT INTO framework_lanes (kind, lanes) VALUES (${kind}, ${count}) ON CONFLICT (kind) DO NOTHING`;
    lanes = await tx.fetchValue<number>(read);
  }
  if (lanes !== count) {
    if (lanes === null || !(await isAbandoned(tx, base, kind, lanes))) return false;
    await tx.execute`DELETE FROM framework_leases WHERE kind = ${kind}`;
    await tx.execute`UPDATE framework_lanes SET lanes = ${count} WHERE kind = ${kind}`;
  }
  await addRows(tx, base, kind, count);
  return true;
};

/** Whether no process works on the lanes of a kind any longer. Locks all of them, which excludes running transactions that checked one. */
const isAbandoned = async (
  tx: Transaction,
  { db, now }: KernelBase,
  kind: string,
  lanes: number,
): Promise<boolean> => {
  const members = await tx.fetchValue<number>`SELECT count(*) FROM framework_lane_members
    WHERE kind = ${kind} AND lanes = ${lanes} AND lease_until > ${now}`;
  if (members !== 0) return false;
  const rows = await tx.query<Row>`SELECT name FROM framework_leases
    WHERE kind = ${kind} AND (owner IS NULL OR lease_until <= ${now}) ${claimLock[db.dialect]}`;
  return rows.length === (await tx.fetchValue`SELECT count(*) FROM framework_leases WHERE kind = ${kind}`);
};

/** Adds the missing lanes. The fence starts at the current time, above the fence of a removed row with the same name. */
const addRows = async (tx: Transaction, { now }: KernelBase, kind: string, count: number): Promise<void> => {
  const rows = await tx.query<{ name: string }>`SELECT name FROM framework_leases WHERE kind = ${kind}`;
  const present = new Set(rows.map(({ name }) => name));
  const missing = Array.from({ length: count }, (_, lane) => nameOf(lane)).filter(
    (name) => !present.has(name),
  );
  if (missing.length === 0) return;
  const values = missing.map((name) => sql`(${kind}, ${name}, NULL, 0, ${now})`);
  await tx.execute`INSERT INTO framework_leases (kind, name, owner, lease_until, fence) VALUES ${sql.join(values, ", ")}`;
};

/** Name of a lane's lease, padded so that the order by name is the order of the lanes. */
const nameOf = (lane: number): string => String(lane).padStart(4, "0");
