/** Columns of both event tables. */
const COLUMNS = `
  tenant TEXT NOT NULL,
  stream TEXT NOT NULL,
  version INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  category TEXT NOT NULL,
  type TEXT NOT NULL,
  schema_version INTEGER NOT NULL,
  data TEXT NOT NULL,
  metadata TEXT,
  recorded_at INTEGER NOT NULL`;

/**
 * Tables on SQLite. Positions come from AUTOINCREMENT: write transactions run one at a time, so positions follow the order of commits, and a
 * rollback releases its positions. The trigger raises the version of a stream to the version of its last event, so an append needs only one statement; in a
 * batch, an earlier statement has already raised the version, and the trigger changes nothing.
 */
export const sqliteTables: string = `
CREATE TABLE framework_streams (
  tenant TEXT NOT NULL,
  stream TEXT NOT NULL,
  category TEXT NOT NULL,
  version INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  archived_at INTEGER,
  PRIMARY KEY (tenant, stream)
) STRICT, WITHOUT ROWID;

CREATE TABLE framework_events (
  position INTEGER PRIMARY KEY AUTOINCREMENT, ${COLUMNS},
  UNIQUE (tenant, stream, version),
  UNIQUE (tenant, stream, event_id)
) STRICT;
CREATE INDEX framework_events_type ON framework_events (type, position);
CREATE INDEX framework_events_category ON framework_events (category, position);
CREATE TRIGGER framework_events_raise_version AFTER INSERT ON framework_events BEGIN
  INSERT INTO framework_streams AS s (tenant, stream, category, version, updated_at)
  VALUES (NEW.tenant, NEW.stream, NEW.category, NEW.version, NEW.recorded_at)
  ON CONFLICT (tenant, stream) DO UPDATE SET version = excluded.version, updated_at = excluded.updated_at
    WHERE s.version < excluded.version;
END;

CREATE TABLE framework_archived_events (
  position INTEGER PRIMARY KEY, ${COLUMNS},
  UNIQUE (tenant, stream, version)
) STRICT;
CREATE INDEX framework_archived_events_type ON framework_archived_events (type, position);
CREATE INDEX framework_archived_events_category ON framework_archived_events (category, position);

CREATE TABLE framework_event_store (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  positions TEXT NOT NULL,
  last_position INTEGER NOT NULL,
  mark INTEGER NOT NULL
) STRICT;

CREATE TABLE framework_event_skips (
  from_position INTEGER PRIMARY KEY,
  to_position INTEGER NOT NULL,
  evidence TEXT NOT NULL,
  recorded_at INTEGER NOT NULL
) STRICT;

CREATE TABLE framework_snapshots (
  tenant TEXT NOT NULL,
  stream TEXT NOT NULL,
  fold TEXT NOT NULL,
  fold_version INTEGER NOT NULL,
  fold_hash TEXT NOT NULL,
  version INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  state TEXT NOT NULL,
  keys TEXT NOT NULL,
  checksum TEXT NOT NULL,
  taken_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, stream, fold)
) STRICT;

CREATE TABLE framework_subject_keys (
  id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  subject TEXT NOT NULL,
  secret BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (tenant, subject)
) STRICT, WITHOUT ROWID;

CREATE TABLE framework_snapshot_keys (
  key_id TEXT NOT NULL,
  tenant TEXT NOT NULL,
  stream TEXT NOT NULL,
  fold TEXT NOT NULL,
  PRIMARY KEY (key_id, tenant, stream, fold)
) STRICT, WITHOUT ROWID;
CREATE INDEX framework_snapshot_keys_snapshot ON framework_snapshot_keys (tenant, stream, fold);
`;
