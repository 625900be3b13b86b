/** Tables of projections, for either database. */
const tables = (integer: string, text: string, end: string): string => `
CREATE TABLE framework_projections (
  name ${text} NOT NULL,
  version INTEGER NOT NULL,
  shards INTEGER NOT NULL,
  is_inline INTEGER NOT NULL,
  status TEXT NOT NULL,
  tables TEXT NOT NULL,
  started_at ${integer} NOT NULL,
  live_at ${integer},
  retired_at ${integer},
  PRIMARY KEY (name, version)
)${end};

CREATE TABLE framework_projection_shards (
  name ${text} NOT NULL,
  version INTEGER NOT NULL,
  shard INTEGER NOT NULL,
  position ${integer} NOT NULL,
  state TEXT NOT NULL,
  error TEXT,
  updated_at ${integer} NOT NULL,
  PRIMARY KEY (name, version, shard)
)${end};
`;

export const sqliteProjectionTables: string = tables("INTEGER", "TEXT", " STRICT");

/** Names compare by bytes, as on SQLite. */
export const postgresProjectionTables: string = tables("BIGINT", 'TEXT COLLATE "C"', "");
