import { sql, type Statement } from "@framework/database";

/** SQL expression: position of the last event; NULL if there are no events. */
export const lastStored: Statement = sql`(SELECT max(position) FROM (
  SELECT max(position) AS position FROM framework_events
  UNION ALL SELECT max(position) FROM framework_archived_events) AS positions)`;
