import type { SetMigration } from "@framework/database";

/** Name of the set of tables. */
export const SAGA_TABLES = "saga";

/**
 * `framework_sagas`: one row per instance. `revision` increases with every change, as an optimistic lock; `position` is the index of the next step.
 * `active_ms` is the active time in milliseconds; `undo_since` is its value when the undos began, or when an operator last decided about them.
 * `framework_saga_steps`: one row per branch of a step. `framework_saga_inbox`: messages of an instance; consumed messages are kept for deduplication.
 * `framework_saga_log`: one immutable row per change. Other times are Unix milliseconds by the database's clock.
 */
export const sagaTables: readonly SetMigration[] = [
  {
    number: 1,
    name: "create-sagas",
    up: `
CREATE TABLE framework_sagas (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  hash TEXT NOT NULL,
  key TEXT NOT NULL,
  status TEXT NOT NULL,
  position INTEGER NOT NULL,
  revision BIGINT NOT NULL,
  is_final INTEGER NOT NULL,
  input TEXT NOT NULL,
  waits_for TEXT,
  wait_until BIGINT,
  active_ms BIGINT NOT NULL,
  undo_since BIGINT,
  error TEXT,
  trace TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  finished_at BIGINT
);
CREATE UNIQUE INDEX framework_sagas_key ON framework_sagas (name, key);
CREATE INDEX framework_sagas_created ON framework_sagas (created_at, id);
CREATE INDEX framework_sagas_open ON framework_sagas (name, version, status) WHERE finished_at IS NULL;
CREATE INDEX framework_sagas_finished ON framework_sagas (finished_at) WHERE finished_at IS NOT NULL;
CREATE TABLE framework_saga_steps (
  saga_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  branch TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  undo_attempts INTEGER NOT NULL,
  output TEXT,
  error TEXT,
  started_at BIGINT NOT NULL,
  changed_at BIGINT NOT NULL,
  PRIMARY KEY (saga_id, position, branch)
);
CREATE TABLE framework_saga_inbox (
  saga_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  number BIGINT NOT NULL,
  name TEXT NOT NULL,
  data TEXT NOT NULL,
  arrived_at BIGINT NOT NULL,
  taken_at BIGINT,
  PRIMARY KEY (saga_id, message_id)
);
CREATE TABLE framework_saga_log (
  saga_id TEXT NOT NULL,
  number BIGINT NOT NULL,
  at BIGINT NOT NULL,
  event TEXT NOT NULL,
  status TEXT NOT NULL,
  step TEXT,
  note TEXT,
  PRIMARY KEY (saga_id, number)
)`,
  },
];
