/**
 * Tables on PostgreSQL.
 *
 * Names compare by bytes (`COLLATE "C"`), as on SQLite. Data is `json`, not `jsonb`, to keep the text as written. The sequence must not cache values, because
 * positions must ascend within a stream. The fill factor of streams leaves room in their pages, so that an append updates the row within its page.
 */
export const POSTGRES_TABLES = `
CREATE TABLE framework_streams (
  tenant TEXT COLLATE "C" NOT NULL,
  stream TEXT COLLATE "C" NOT NULL,
  category TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  archived_at BIGINT,
  PRIMARY KEY (tenant, stream)
) WITH (fillfactor = 80);

CREATE SEQUENCE framework_event_positions AS BIGINT CACHE 1;

CREATE TABLE framework_events (
  position BIGINT PRIMARY KEY,
  tenant TEXT COLLATE "C" NOT NULL,
  stream TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  event_id TEXT COLLATE "C" NOT NULL,
  category TEXT COLLATE "C" NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  schema_version INTEGER NOT NULL,
  data JSON NOT NULL,
  metadata JSON,
  recorded_at BIGINT NOT NULL,
  CONSTRAINT framework_events_version UNIQUE (tenant, stream, version),
  CONSTRAINT framework_events_id UNIQUE (tenant, stream, event_id)
);
CREATE INDEX framework_events_type ON framework_events (type, position);
CREATE INDEX framework_events_category ON framework_events (category, position);

CREATE TABLE framework_archived_events (
  LIKE framework_events,
  PRIMARY KEY (position),
  CONSTRAINT framework_archived_events_version UNIQUE (tenant, stream, version)
);
CREATE INDEX framework_archived_events_type ON framework_archived_events (type, position);
CREATE INDEX framework_archived_events_category ON framework_archived_events (category, position);

CREATE TABLE framework_event_store (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  positions TEXT NOT NULL,
  last_position BIGINT NOT NULL,
  mark BIGINT NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE framework_event_skips (
  from_position BIGINT PRIMARY KEY,
  to_position BIGINT NOT NULL,
  evidence TEXT NOT NULL,
  recorded_at BIGINT NOT NULL
);

CREATE TABLE framework_snapshots (
  tenant TEXT COLLATE "C" NOT NULL,
  stream TEXT COLLATE "C" NOT NULL,
  fold TEXT COLLATE "C" NOT NULL,
  fold_version INTEGER NOT NULL,
  fold_hash TEXT NOT NULL,
  version BIGINT NOT NULL,
  event_id TEXT NOT NULL,
  state TEXT NOT NULL,
  keys TEXT NOT NULL,
  checksum TEXT NOT NULL,
  taken_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, stream, fold)
);

CREATE TABLE framework_subject_keys (
  id TEXT COLLATE "C" PRIMARY KEY,
  tenant TEXT COLLATE "C" NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  secret BYTEA NOT NULL,
  created_at BIGINT NOT NULL,
  UNIQUE (tenant, subject)
);

CREATE TABLE framework_snapshot_keys (
  key_id TEXT COLLATE "C" NOT NULL,
  tenant TEXT COLLATE "C" NOT NULL,
  stream TEXT COLLATE "C" NOT NULL,
  fold TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (key_id, tenant, stream, fold)
);
CREATE INDEX framework_snapshot_keys_snapshot ON framework_snapshot_keys (tenant, stream, fold);
`;
