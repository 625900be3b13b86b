/** The view that both make: how often members have borrowed, and for how many days. */
export const COLUMNS = "member TEXT PRIMARY KEY, loans INTEGER NOT NULL, days INTEGER NOT NULL";

/** Data of an event, about 200 bytes of JSON. */
export interface Lent {
  readonly member: string;
  readonly days: number;
}

/** A row of the view. */
export interface MemberRow extends Lent {
  readonly loans: number;
}

/** Events of one transaction. */
export const BATCH = 500;

/** The fold of a batch: one row for each member. */
export const foldBatch = (events: readonly Lent[]): readonly MemberRow[] => {
  const rows = new Map<string, MemberRow>();
  for (const { member, days } of events) {
    const row = rows.get(member);
    rows.set(member, { member, loans: (row?.loans ?? 0) + 1, days: (row?.days ?? 0) + days });
  }
  return [...rows.values()];
};

/** Adds the rows of a batch to the view, in one statement with one parameter: the rows as JSON. */
export const upsertText = (dialect: "postgres" | "sqlite", table: string): string => {
  const rows =
    dialect === "postgres"
      ? "json_to_recordset($1::json) AS given(member TEXT, loans INTEGER, days INTEGER) WHERE TRUE"
      : "(SELECT value ->> 'member' AS member, value ->> 'loans' AS loans, value ->> 'days' AS days FROM json_each($1)) AS given WHERE TRUE";
  return `INSERT INTO ${table} AS own (member, loans, days) SELECT member, loans, days FROM ${rows}
    ON CONFLICT (member) DO UPDATE SET loans = own.loans + excluded.loans, days = own.days + excluded.days`;
};
