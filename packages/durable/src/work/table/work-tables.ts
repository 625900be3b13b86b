import type { SetMigration } from "@framework/database";
import { claimStatement } from "./claiming.ts";
import { findStatement, insertStatement } from "./enqueueing.ts";
import { blockStatement, unblockStatement } from "./key-order.ts";
import {
  countOfStatement,
  heldStatement,
  pollStatement,
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
 * The table of queued work. States of an item:
 *
 * - `waiting`: not due before `wake_at`.
 * - `ready`: due; the index `framework_work_ready` is the queue.
 * - `blocked`: due, but an earlier item of its key is unfinished; not in the ready index until that one ends.
 * - `running`: leased by `owner` until `wake_at`.
 * - `done`, `failed`, `parked`, `cancelled`: finished, with `finished_at`, kept for a while.
 *
 * `settled_at` is the end of the last attempt; for a waiting item, the time at which the wait was scheduled.
 *
 * `fence` is random for each claim, and changes whenever an item is taken from its owner, so one comparison refuses every outdated write.
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
 * At most one item of a key can run: the unique index prevents two concurrent claims from starting items that were committed out of order. An index for two
 * states uses `OR`, because SQLite does not recognise that `state = x` implies an `IN`, and would scan the whole table.
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

/** Rows live for seconds. Vacuum early, because dead rows at the head of the queue slow every claim down. */
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
  pollStatement,
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

/** Ids are not reused, except after a failover to an older copy of the database; then the fences distinguish the items. */
export const workTables: readonly SetMigration[] = [
  {
    number: 1,
    name: "create-work",
    sqlite: `CREATE TABLE framework_work (id INTEGER PRIMARY KEY AUTOINCREMENT,${COLUMNS});${INDEXES}`,
    postgres: `CREATE TABLE framework_work (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,${COLUMNS}) ${STORAGE};${INDEXES}\n${functions.join("\n")}`,
  },
];
