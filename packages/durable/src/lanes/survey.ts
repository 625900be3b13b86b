import { sql } from "@framework/database";
import type { KernelBase } from "../base/kernel-base.ts";

/** Distribution of one kind of lanes, from the viewpoint of one process. */
export interface KindSurvey {
  /** Number of lanes of the kind in the database; `null` before the first claim. */
  readonly lanes: number | null;
  /** Current members with that number of lanes, in the order in which they joined; before the first claim all current members. */
  readonly members: readonly string[];
  /** Whether this process is a current member. */
  readonly isMember: boolean;
  /** Number of lanes that this process owns or could claim because they are free or their lease has expired. */
  readonly own: number;
  /** Number of lane rows. */
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
