import { type Database, type Queries, sql, type Statement, type Transaction } from "@framework/database";
import { illegalTransition, staleSaga } from "../errors/saga-errors.ts";
import {
  isEnd,
  isUndoing,
  type SagaEvent,
  type SagaStatus,
  statusAfter,
} from "../transitions/transitions.ts";
import type { Change } from "./change.ts";
import { type BranchState, type Instance, withBranches } from "./instance.ts";
import { type InstanceRow, toInstance, type BranchRow, toBranch } from "./rows.ts";

/** Dependencies of `SagaStore`. */
export interface SagaStoreParts {
  /** Returns the database, which is available after an app's start. */
  readonly db: () => Database;
  /** Returns the SQL expression of the database's time in milliseconds. */
  readonly now: () => Statement;
}

/** A new instance. */
export interface NewInstance {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly hash: string;
  readonly key: string;
  readonly input: string;
  readonly trace: string | null;
  /** Intents of the first step. */
  readonly branches: readonly BranchState[];
}

/** The rows that a change writes in addition to the row of its instance. */
interface ChangeRows {
  readonly id: string;
  readonly number: number;
  readonly branches: readonly BranchState[];
  readonly entry: LogEntry;
}

const upsert: Statement = sql`ON CONFLICT (saga_id, position, branch) DO UPDATE SET status = excluded.status,
  attempts = excluded.attempts, undo_attempts = excluded.undo_attempts, output = excluded.output, error = excluded.error,
  changed_at = excluded.changed_at`;

/** Reads and changes instances. Every change is an event of the table of transitions, with an optimistic lock on the revision. */
export class SagaStore {
  private readonly parts: SagaStoreParts;

  constructor(parts: SagaStoreParts) {
    this.parts = parts;
  }

  get db(): Database {
    return this.parts.db();
  }

  get now(): Statement {
    return this.parts.now();
  }

  /** Adds an instance, unless one with its name and key exists. Returns the id of the new or existing one. */
  async add(tx: Transaction, saga: NewInstance): Promise<{ readonly id: string; readonly isNew: boolean }> {
    const { id, name, version, hash, key, input, trace, branches } = saga;
    const { now } = this;
    const { changes } = await tx.execute`INSERT INTO framework_sagas
      (id, name, version, hash, key, status, position, revision, is_final, input, active_ms, trace, created_at, updated_at)
      VALUES (${id}, ${name}, ${version}, ${hash}, ${key}, ${"ready"}, 0, 1, 0, ${input}, 0, ${trace}, ${now}, ${now})
      ON CONFLICT (name, key) DO NOTHING`;
    if (changes === 0) {
      const first =
        await tx.fetchValue<string>`SELECT id FROM framework_sagas WHERE name = ${name} AND key = ${key}`;
      return { id: first ?? id, isNew: false };
    }
    await this.writeBranches(tx, id, branches);
    await this.log(tx, id, 1, { event: "start", status: "ready", step: null, note: null });
    return { id, isNew: true };
  }

  /** Reads an instance; `null` for an unknown id. @param lock whether to lock it until the transaction ends */
  async load(
    queries: Queries,
    id: string,
    { lock = false }: { readonly lock?: boolean } = {},
  ): Promise<Instance | null> {
    const locked = lock && this.db.dialect === "postgres" ? sql`FOR UPDATE` : sql``;
    const row =
      await queries.fetchOne<InstanceRow>`SELECT id, name, version, hash, key, status, position, revision,
      is_final, input, waits_for, wait_until, active_ms, undo_since, error, trace, ${this.now} AS now
      FROM framework_sagas WHERE id = ${id} ${locked}`;
    if (row === null) return null;
    const branches =
      await queries.query<BranchRow>`SELECT position, branch, status, attempts, undo_attempts, output, error
      FROM framework_saga_steps WHERE saga_id = ${id}`;
    return toInstance(row, branches.map(toBranch));
  }

  /** Returns the ids of the given instances whose status is `cancelling`. */
  async cancelledOf(ids: readonly string[]): Promise<readonly string[]> {
    const list = sql.join(ids.map((id) => sql`${id}`));
    const rows = await this.db.query<{
      id: string;
    }>`SELECT id FROM framework_sagas WHERE id IN (${list}) AND status = ${"cancelling"}`;
    return rows.map(({ id }) => id);
  }

  /**
   * Changes an instance, and returns the changed one.
   *
   * @param held SQL condition that the worker still holds the claim; absent for operators
   * @throws SAGA_STALE if it was changed or taken over meanwhile: the transaction must be rolled back; SAGA_ILLEGAL if its status does not allow the event
   */
  async change(
    tx: Transaction,
    saga: Instance,
    change: Change,
    held: Statement = sql`1 = 1`,
  ): Promise<Instance> {
    const status = statusAfter(saga.status, change.event);
    if (status === null) throw illegalTransition(saga.status, change.event);
    const { id, revision } = saga;
    const {
      branches = [],
      position = saga.position,
      isFinal = saga.isFinal,
      activeMs = saga.activeMs,
    } = change;
    const undoSince = undoSinceAfter(saga, change.event, status, activeMs);
    const error = change.error === undefined ? saga.error : change.error;
    const update = sql`UPDATE framework_sagas SET status = ${status}, position = ${position},
      revision = revision + 1, is_final = ${isFinal ? 1 : 0}, error = ${error}, active_ms = ${activeMs}, undo_since = ${undoSince}, ${this.times(change, status)}
      WHERE id = ${id} AND revision = ${revision} AND ${held}`;
    const { event, step = null, note = null } = change;
    const written = { id, number: revision + 1, branches, entry: { event, status, step, note } };
    const isWritten =
      this.db.dialect === "postgres"
        ? await this.writeAll(tx, update, written)
        : await this.writeEach(tx, update, written);
    if (!isWritten) throw staleSaga(id);
    return {
      ...saga,
      status,
      position,
      isFinal,
      error,
      activeMs,
      undoSince,
      revision: revision + 1,
      ...(change.wait === undefined ? {} : waitOf(saga, change.wait)),
      branches: withBranches(saga.branches, branches),
    };
  }

  private times({ wait }: Change, status: SagaStatus): Statement {
    const { now } = this;
    const parts = [sql`updated_at = ${now}`];
    if (wait === null) parts.push(sql`waits_for = NULL, wait_until = NULL`);
    else if (wait !== undefined)
      parts.push(sql`waits_for = ${wait.message}, wait_until = ${now} + ${wait.ms}`);
    if (isEnd(status)) parts.push(sql`finished_at = ${now}`);
    return sql.join(parts);
  }

  /** Writes the rows with one statement each: for SQLite, where a statement has no round trip. */
  private async writeEach(
    tx: Transaction,
    update: Statement,
    { id, number, branches, entry }: ChangeRows,
  ): Promise<boolean> {
    const { changes } = await tx.execute(update);
    if (changes === 0) return false;
    await this.writeBranches(tx, id, branches);
    await this.log(tx, id, number, entry);
    return true;
  }

  /**
   * Writes all rows with one statement: for PostgreSQL, to save round trips. Nothing is written if the instance is stale, because the other writes select
   * from the updated row.
   */
  private async writeAll(
    tx: Transaction,
    update: Statement,
    { number, branches, entry }: ChangeRows,
  ): Promise<boolean> {
    const { now } = this;
    const { event, status, step, note } = entry;
    const rows = branches.map(
      (each) =>
        sql`(${each.position}, ${each.branch}, ${each.status}, ${each.attempts}, ${each.undoAttempts}, ${each.output}, ${each.error})`,
    );
    const steps =
      rows.length === 0
        ? sql``
        : sql`steps AS (INSERT INTO framework_saga_steps
            (saga_id, position, branch, status, attempts, undo_attempts, output, error, started_at, changed_at)
            SELECT changed.id, v.position::integer, v.branch::text, v.status::text, v.attempts::integer, v.undone::integer,
              v.output::text, v.error::text, ${now}, ${now}
            FROM changed, (VALUES ${sql.join(rows)}) AS v (position, branch, status, attempts, undone, output, error)
            ${upsert}),`;
    const changed = await tx.fetchValue`WITH changed AS (${update} RETURNING id), ${steps}
      entry AS (INSERT INTO framework_saga_log (saga_id, number, at, event, status, step, note)
        SELECT changed.id, ${number}::bigint, ${now}, ${event}::text, ${status}::text, ${step}::text, ${note}::text FROM changed)
      SELECT id FROM changed`;
    return changed !== null;
  }

  private async writeBranches(tx: Transaction, id: string, branches: readonly BranchState[]): Promise<void> {
    if (branches.length === 0) return;
    const { now } = this;
    const rows = branches.map(
      ({ position, branch, status, attempts, undoAttempts, output, error }) =>
        sql`(${id}, ${position}, ${branch}, ${status}, ${attempts}, ${undoAttempts}, ${output}, ${error}, ${now}, ${now})`,
    );
    await tx.execute`INSERT INTO framework_saga_steps
      (saga_id, position, branch, status, attempts, undo_attempts, output, error, started_at, changed_at)
      VALUES ${sql.join(rows)} ${upsert}`;
  }

  private async log(tx: Transaction, id: string, number: number, entry: LogEntry): Promise<void> {
    const { event, status, step, note } = entry;
    await tx.execute`INSERT INTO framework_saga_log (saga_id, number, at, event, status, step, note)
      VALUES (${id}, ${number}, ${this.now}, ${event}, ${status}, ${step}, ${note})`;
  }
}

interface LogEntry {
  readonly event: string;
  readonly status: SagaStatus;
  readonly step: string | null;
  readonly note: string | null;
}

/** The time limit of undos restarts after an operator's decision. */
const undoSinceAfter = (
  { undoSince }: Instance,
  event: SagaEvent,
  status: SagaStatus,
  activeMs: number,
): number | null => {
  const isNew = undoSince === null || event === "retry" || event === "skip" || event === "settle";
  return isUndoing(status) && isNew ? activeMs : undoSince;
};

const waitOf = (
  { now }: Instance,
  wait: NonNullable<Change["wait"]> | null,
): Pick<Instance, "waitsFor" | "waitUntil"> =>
  wait === null ? { waitsFor: null, waitUntil: null } : { waitsFor: wait.message, waitUntil: now + wait.ms };
