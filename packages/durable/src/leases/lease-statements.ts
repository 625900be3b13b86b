import { type Database, sql, type Statement } from "@framework/database";
import type { KernelBase } from "../base/kernel-base.ts";
import { MAX_LEASE_MS } from "../durable-config.ts";

/**
 * Row locks of PostgreSQL; SQLite has one writer at a time.
 *
 * The lock of a check is compatible with other checks and with renewals, which change no key. It conflicts only with claims, which skip locked rows:
 * no other process becomes the owner during a transaction that has checked the lease.
 */
export const checkLock: Readonly<Record<Database["dialect"], Statement>> = {
  postgres: sql`FOR KEY SHARE`,
  sqlite: sql``,
};
export const claimLock: Readonly<Record<Database["dialect"], Statement>> = {
  postgres: sql`FOR UPDATE SKIP LOCKED`,
  sqlite: sql``,
};

/** Key and fence of a lease. */
export interface LeaseKey {
  readonly kind: string;
  readonly name: string;
  readonly fence: number;
}

/** Claims a lease that is free, has expired, or already belongs to this owner because the reply to an earlier claim was lost. */
export const claimOne = ({ db, id, now, config }: KernelBase, kind: string, name: string): Statement => sql`
  WITH free AS MATERIALIZED (
    SELECT kind, name FROM framework_leases
    WHERE kind = ${kind} AND name = ${name} AND (owner IS NULL OR lease_until <= ${now} OR owner = ${id})
    ${claimLock[db.dialect]}
  )
  UPDATE framework_leases SET owner = ${id}, lease_until = ${now} + ${config.leaseMs}, fence = fence + 1
  FROM free WHERE framework_leases.kind = free.kind AND framework_leases.name = free.name
  RETURNING fence`;

/** Creates a lease without an owner. Its fence starts at the current time, above the fence of a removed row with this name. */
export const createOne = ({ now }: KernelBase, kind: string, name: string): Statement => sql`
  INSERT INTO framework_leases (kind, name, owner, lease_until, fence)
  VALUES (${kind}, ${name}, NULL, 0, ${now}) ON CONFLICT (kind, name) DO NOTHING`;

/** Age at which a free lease is removed; if it is still needed, it is created again. */
const UNUSED_MS = 30 * 86_400_000;

export const removeUnused = ({ db, now }: KernelBase): Statement => sql`
  DELETE FROM framework_leases WHERE (kind, name) IN (
    SELECT kind, name FROM framework_leases
    WHERE owner IS NULL AND lease_until = 0 AND fence < ${now} - ${UNUSED_MS} ${claimLock[db.dialect]}
  )`;

/**
 * Shortens the leases and memberships that were taken while the database's clock was ahead. A process that still runs renews them long before their new end.
 * Skips locked rows: their owners run.
 */
export const shorten = ({ db, now }: KernelBase): readonly Statement[] => {
  const end = sql`${now} + ${MAX_LEASE_MS}`;
  const lock = claimLock[db.dialect];
  return [
    sql`UPDATE framework_leases SET lease_until = ${end} WHERE (kind, name) IN (
      SELECT kind, name FROM framework_leases WHERE lease_until > ${end} ${lock}
    )`,
    sql`UPDATE framework_lane_members SET lease_until = ${end} WHERE (kind, owner) IN (
      SELECT kind, owner FROM framework_lane_members WHERE lease_until > ${end} ${lock}
    )`,
  ];
};

/** Renews the leases that this owner still holds, and returns them. */
export const renewAll = ({ db, id, now, config }: KernelBase, held: readonly LeaseKey[]): Statement => {
  const list = JSON.stringify(held.map(({ kind, name, fence }) => ({ kind, name, fence })));
  const rows = db.dialect === "postgres" ? postgresRows(list) : sqliteRows(list);
  return sql`
    UPDATE framework_leases SET lease_until = ${now} + ${config.leaseMs} FROM (${rows}) AS held
    WHERE framework_leases.kind = held.held_kind AND framework_leases.name = held.held_name
      AND framework_leases.fence = held.held_fence AND owner = ${id}
    RETURNING kind, name`;
};

const postgresRows = (list: string): Statement => sql`
  SELECT kind AS held_kind, name AS held_name, fence AS held_fence
  FROM json_to_recordset(${list}::json) AS items(kind text, name text, fence bigint)`;

const sqliteRows = (list: string): Statement => sql`
  SELECT value ->> 'kind' AS held_kind, value ->> 'name' AS held_name, value ->> 'fence' AS held_fence
  FROM json_each(${list})`;
