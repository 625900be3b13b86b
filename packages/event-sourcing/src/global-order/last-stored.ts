import { sql, type Statement } from "@framework/database";

/** SQL: position of the last event of the store; NULL without events. */
export const lastStored: Statement = sql`(SELECT max(position) FROM (
  SELECT max(position) AS position FROM framework_events
  UNION ALL SELECT max(position) FROM framework_archived_events) AS positions)`;
