import type { SetMigration } from "@framework/database";
import { claimStatement } from "./claiming.ts";
import { findStatement, insertStatement } from "./enqueueing.ts";
import { blockStatement, unblockStatement } from "./key-order.ts";
import {
  countOfStatement,
  heldStatement,
  lookStatement,
  renewStatement,
  replanStatement,
  takeFromStatement,
  takeStatement,
  wakeStatement,
} from "./leasing.ts";
import { progressStatement, removeStatement, settleStatement } from "./settling.ts";
import { postgresFunction, type StatementShape } from "./statement.ts";
import { pruneStatement } from "./stopping.ts";
import { removeClaimStatement, settleClaimStatement } from "./turnover.ts";

/**
 * The table of queued work. Its states:
 *
 * - `waiting`: not due before `wake_at`.
 * - `ready`: due; the index `framework_work_ready` is the queue.
 * - `blocked`: due, but far behind an earlier item of its key; out of the queue until that one ends.
 * - `running`: leased by `owner` until `wake_at`.
 * - `done`, `failed`, `parked`, `cancelled`: finished, with `finished_at`, kept for a while.
 *
 * `settled_at` is the time of the last attempt's end: for an item that waits, that at which the wait was planned.
 *
 * `fence` is random in each claim, and changes whenever an item is taken from its owner, so that one comparison refuses every outdated write.
 */
const COLUMNS = `
  queue TEXT NOT NULL,
  key TEXT,
  unique_key TEXT,
  priority SMALLINT NOT NULL,
  state TEXT NOT NULL,
  run_at BIGINT NOT NULL,
  wake_at BIGINT,
  payload TEXT NOT NULL,
  headers TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  owner TEXT,
  fence BIGINT NOT NULL DEFAULT 0,
  progress TEXT,
  result TEXT,
  error TEXT,
  created_at BIGINT NOT NULL,
  settled_at BIGINT,
  finished_at BIGINT`;

/**
 * At most one item of a key can run: the index refuses what two claims at once could do to items that were committed out of order. An index for two
 * states says `OR`, because SQLite does not see that one state is among those of an `IN`, and would read the whole table.
 */
const INDEXES = `
CREATE INDEX framework_work_ready ON framework_work (queue, priority DESC, run_at, id) WHERE state = 'ready';
CREATE INDEX framework_work_timed ON framework_work (state, wake_at) WHERE state = 'waiting' OR state = 'running';
CREATE INDEX framework_work_planned ON framework_work (settled_at) WHERE state = 'waiting' AND settled_at IS NOT NULL;
CREATE INDEX framework_work_key ON framework_work (queue, key, id) WHERE key IS NOT NULL AND finished_at IS NULL;
CREATE UNIQUE INDEX framework_work_running_key ON framework_work (queue, key) WHERE key IS NOT NULL AND state = 'running';
CREATE INDEX framework_work_blocked ON framework_work (queue, key, id) WHERE state = 'blocked';
CREATE UNIQUE INDEX framework_work_unique ON framework_work (queue, unique_key) WHERE unique_key IS NOT NULL AND finished_at IS NULL;
CREATE INDEX framework_work_finished ON framework_work (queue, state, finished_at) WHERE finished_at IS NOT NULL;`;

/** Rows live for seconds: vacuum early, or the dead ones at the head of the queue slow every claim down. */
const STORAGE =
  "WITH (fillfactor = 90, vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.1)";

/** All statements on the table. */
export const workStatements: readonly StatementShape[] = [
  insertStatement,
  findStatement,
  claimStatement,
  renewStatement,
  heldStatement,
  wakeStatement,
  replanStatement,
  takeStatement,
  takeFromStatement,
  countOfStatement,
  lookStatement,
  removeStatement,
  settleStatement,
  removeClaimStatement,
  settleClaimStatement,
  progressStatement,
  blockStatement,
  unblockStatement,
  pruneStatement,
];

const functions = workStatements.map(postgresFunction);

/** Ids are not used again, unless the database goes back to an older copy: their fences tell the items apart then. */
export const workTables: readonly SetMigration[] = [
  {
    number: 1,
    name: "create-work",
    sqlite: `CREATE TABLE framework_work (id INTEGER PRIMARY KEY AUTOINCREMENT,${COLUMNS});${INDEXES}`,
    postgres: `CREATE TABLE framework_work (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,${COLUMNS}) ${STORAGE};${INDEXES}\n${functions.join("\n")}`,
  },
];
