import { sql } from "@framework/database";
import type { KernelBase } from "../base/kernel-base.ts";

/** The distribution of one kind of lanes, as one process sees it. */
export interface KindSurvey {
  /** Number of lanes that the database has for the kind; `null` before the first claim. */
  readonly lanes: number | null;
  /** Living members with that number of lanes, in the order of joining; before the first claim all of them. */
  readonly members: readonly string[];
  /** Whether this process is a living member. */
  readonly isMember: boolean;
  /** Lanes that this process owns or could claim: their lease has expired, or no other process owns them. */
  readonly own: number;
  /** Rows of lanes. */
  readonly rows: number;
}

interface MemberRow {
  readonly kind: string;
  readonly owner: string;
  readonly member_lanes: number;
  readonly kind_lanes: number | null;
}

interface LaneRow {
  readonly kind: string;
  readonly lanes: number;
  readonly own: number;
}

/** Reads the distribution of several kinds. */
export const survey = async (
  { db, id, now }: KernelBase,
  kinds: readonly string[],
): Promise<ReadonlyMap<string, KindSurvey>> => {
  const members = await db.query<MemberRow>`
    SELECT m.kind AS kind, m.owner AS owner, m.lanes AS member_lanes, l.lanes AS kind_lanes
    FROM framework_lane_members m LEFT JOIN framework_lanes l ON l.kind = m.kind
    WHERE m.kind IN (${sql.list(kinds)}) AND m.lease_until > ${now} ORDER BY m.kind, m.joined_at, m.owner`;
  const rows = await db.query<LaneRow>`
    SELECT kind, count(*) AS lanes, sum(CASE WHEN owner IS NULL OR owner = ${id} OR lease_until <= ${now} THEN 1 ELSE 0 END) AS own
    FROM framework_leases WHERE kind IN (${sql.list(kinds)}) GROUP BY kind`;
  const found = new Map<string, KindSurvey>();
  for (const kind of kinds) {
    const all = members.filter((member) => member.kind === kind);
    const lanes = all[0]?.kind_lanes ?? null;
    const present = rows.find((row) => row.kind === kind);
    found.set(kind, {
      lanes,
      members: all.filter((each) => lanes === null || each.member_lanes === lanes).map(({ owner }) => owner),
      isMember: all.some(({ owner }) => owner === id),
      own: present?.own ?? 0,
      rows: present?.lanes ?? 0,
    });
  }
  return found;
};
