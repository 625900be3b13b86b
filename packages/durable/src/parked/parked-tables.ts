import type { SetMigration } from "@framework/database";

/** Name of the set of tables. */
export const PARKED_TABLES = "durable-parked";

const COLUMNS = `
  source TEXT NOT NULL,
  name TEXT NOT NULL,
  key TEXT,
  lane INTEGER,
  payload TEXT NOT NULL,
  headers TEXT,
  detail TEXT,
  error_class TEXT NOT NULL,
  error_message TEXT NOT NULL,
  error_code TEXT,
  stack TEXT,
  stack_hash TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  first_at BIGINT NOT NULL,
  last_at BIGINT NOT NULL,
  code_version TEXT NOT NULL,
  state TEXT NOT NULL,
  note TEXT,
  closed_at BIGINT`;

const INDEXES = `
CREATE INDEX framework_parked_state ON framework_parked (state, source, name, id);
CREATE INDEX framework_parked_key ON framework_parked (source, name, key, id) WHERE closed_at IS NULL;
CREATE INDEX framework_parked_replaying ON framework_parked (source, name, lane, id) WHERE state = 'replaying';
CREATE INDEX framework_parked_closed ON framework_parked (closed_at) WHERE closed_at IS NOT NULL;`;

/** Work that gave up. Rows in the states `replayed` and `discarded` have `closed_at`, and are removed after `keepParkedSecs`. */
export const parkedTables: readonly SetMigration[] = [
  {
    number: 1,
    name: "create-parked",
    sqlite: `CREATE TABLE framework_parked (id INTEGER PRIMARY KEY AUTOINCREMENT,${COLUMNS});${INDEXES}`,
    postgres: `CREATE TABLE framework_parked (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,${COLUMNS});${INDEXES}`,
  },
];
