/** Columns of the view: number of loans of each member, their days, and the last loan. */
export const COLUMNS =
  "member TEXT PRIMARY KEY, loans INTEGER NOT NULL, days INTEGER NOT NULL, last_loan TEXT NOT NULL";

/** The members of an event's data that the view uses; the stored data has about 200 bytes of JSON. */
export interface Lent {
  readonly member: string;
  readonly days: number;
}

/** The parts of an event that the view uses. */
export interface LentEvent {
  readonly type: string;
  /** The stream of a loan. */
  readonly stream: string;
  readonly data: Lent;
}

/** A row of the view. */
export interface MemberRow extends Lent {
  readonly loans: number;
  readonly last_loan: string;
}

/** Maximum number of events per transaction. */
export const BATCH = 500;

/** Folds a batch into one row per member. */
export const foldBatch = (events: readonly LentEvent[]): readonly MemberRow[] => {
  const rows = new Map<string, MemberRow>();
  for (const { type, stream, data } of events) {
    if (type !== "Lent") continue;
    const { member, days } = data;
    const row = rows.get(member);
    rows.set(member, {
      member,
      loans: (row?.loans ?? 0) + 1,
      days: (row?.days ?? 0) + days,
      last_loan: stream,
    });
  }
  return [...rows.values()];
};

/** Returns the statement that adds the rows of a batch to the view; its only parameter is the rows as JSON. */
export const upsertText = (dialect: "postgres" | "sqlite", table: string): string => {
  const rows =
    dialect === "postgres"
      ? "json_to_recordset($1::json) AS given(member TEXT, loans INTEGER, days INTEGER, last_loan TEXT) WHERE TRUE"
      : `(SELECT value ->> 'member' AS member, value ->> 'loans' AS loans, value ->> 'days' AS days, value ->> 'last_loan' AS last_loan
          FROM json_each($1)) AS given WHERE TRUE`;
  return `INSERT INTO ${table} AS own (member, loans, days, last_loan) SELECT member, loans, days, last_loan FROM ${rows}
    ON CONFLICT (member) DO UPDATE SET loans = own.loans + excluded.loans, days = own.days + excluded.days, last_loan = excluded.last_loan`;
};
