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
  /** Milliseconds since 1970. */
  readonly recorded_at: number;
}

/** The columns of a row; as text, because PostgreSQL's driver would parse JSON that the reader may skip. */
export const eventColumns = (dialect: "sqlite" | "postgres"): Statement =>
  dialect === "postgres" ? postgresColumns : eventColumnNames;

/** Names of the columns; on SQLite, also how they are read. */
export const eventColumnNames: Statement = sql`position, tenant, stream, version, event_id, type, schema_version, data, metadata, recorded_at`;
const postgresColumns = sql`position, tenant, stream, version, event_id, type, schema_version, data::text AS data, metadata::text AS metadata, recorded_at`;
