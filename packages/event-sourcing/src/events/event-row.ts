import { sql, type Statement } from "@framework/database";

/** An event as it is stored. */
export interface EventRow {
  readonly position: number;
  readonly tenant: string;
  readonly stream: string;
  readonly version: number;
  readonly event_id: string;
  readonly type: string;
  readonly schema_version: number;
  /** JSON text. */
  readonly data: string;
  /** JSON text. */
  readonly metadata: string | null;
  /** Unix milliseconds. */
  readonly recorded_at: number;
}

/** Columns of `EventRow`. JSON is selected as text, because the driver of PostgreSQL would parse JSON that the reader may skip. */
export const eventColumns = (dialect: "sqlite" | "postgres"): Statement =>
  dialect === "postgres" ? postgresColumns : eventColumnNames;

/** Names of the columns of `EventRow`. */
export const eventColumnNames: Statement = sql`position, tenant, stream, version, event_id, type, schema_version, data, metadata, recorded_at`;
const postgresColumns = sql`position, tenant, stream, version, event_id, type, schema_version, data::text AS data, metadata::text AS metadata, recorded_at`;
