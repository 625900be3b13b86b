import { sql, type Statement } from "@framework/database";
import type { StoredFailure } from "@framework/durable/feature";
import type { SagaRegistry } from "../definition/registry.ts";
import { notPossible } from "../errors/saga-errors.ts";
import { valueIn } from "../store/json-value.ts";
import { type BranchRow, type InstanceRow, toBranch } from "../store/rows.ts";
import type { SagaStore } from "../store/saga-store.ts";
import { sagaStatuses } from "../transitions/transitions.ts";
import type { SagaFilter, SagaInfo, SagaPage, SagaSummary, TimelineEntry } from "./saga-info.ts";

interface SummaryRow extends InstanceRow {
  readonly created_at: number;
  readonly updated_at: number;
  readonly finished_at: number | null;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const MAX_TIMELINE = 10_000;

/** Lists instances, oldest first. @throws HttpError 409 SAGA_NOT_POSSIBLE for an invalid status, limit or `after` */
export const listSagas = async (
  { db }: Pick<SagaStore, "db">,
  { name, status, key, after, limit = DEFAULT_LIMIT }: SagaFilter,
): Promise<SagaPage> => {
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT))
    throw notPossible(`limit must be a whole number from 1 to ${MAX_LIMIT}`);
  if (status !== undefined && !sagaStatuses.includes(status))
    throw notPossible(`status must be one of ${sagaStatuses.join(", ")}`);
  const conditions: Statement[] = [sql`1 = 1`];
  if (name !== undefined) conditions.push(sql`name = ${name}`);
  if (status !== undefined) conditions.push(sql`status = ${status}`);
  if (key !== undefined) conditions.push(sql`key = ${key}`);
  if (after !== undefined) conditions.push(laterThan(after));
  const rows =
    await db.query<SummaryRow>`SELECT id, name, version, key, status, position, waits_for, wait_until, error,
    created_at, updated_at, finished_at FROM framework_sagas
    WHERE ${sql.join(conditions, " AND ")} ORDER BY created_at, id LIMIT ${limit + 1}`;
  const sagas = rows.slice(0, limit).map(toSummary);
  const last = sagas.at(-1);
  const next = rows.length > limit && last !== undefined ? `${last.createdAt}_${last.id}` : null;
  return { sagas, next };
};

const laterThan = (after: string): Statement => {
  const [, at, id] = /^(\d{1,15})_([\w-]{1,100})$/.exec(after) ?? [];
  if (at === undefined || id === undefined)
    throw notPossible("after must be the `next` cursor of a previous page");
  return sql`(created_at > ${Number(at)} OR (created_at = ${Number(at)} AND id > ${id}))`;
};

/** Reads an instance; `null` for an unknown id. */
export const readSaga = async (
  { db }: Pick<SagaStore, "db">,
  registry: SagaRegistry,
  id: string,
): Promise<SagaInfo | null> => {
  const row = await db.fetchOne<SummaryRow>`SELECT * FROM framework_sagas WHERE id = ${id}`;
  if (row === null) return null;
  const branches =
    await db.query<BranchRow>`SELECT position, branch, status, attempts, undo_attempts, output, error
    FROM framework_saga_steps WHERE saga_id = ${id} ORDER BY position, branch`;
  const steps = registry.has(row.name, row.version) ? registry.get(row.name, row.version).steps : [];
  return {
    ...toSummary(row),
    input: valueIn(row.input),
    trace: row.trace,
    steps: branches.map(toBranch).map(({ position, output, error, ...state }) => ({
      ...state,
      position,
      step: steps[position]?.name ?? null,
      output: valueIn(output),
      error: toFailure(error),
    })),
  };
};

/** Reads the first 10,000 changes of an instance, in order. */
export const timelineOf = async (
  { db }: Pick<SagaStore, "db">,
  id: string,
): Promise<readonly TimelineEntry[]> =>
  await db.query<TimelineEntry>`SELECT number, at, event, status, step, note FROM framework_saga_log
    WHERE saga_id = ${id} ORDER BY number LIMIT ${MAX_TIMELINE}`;

const toSummary = (row: SummaryRow): SagaSummary => ({
  id: row.id,
  name: row.name,
  version: row.version,
  key: row.key,
  status: row.status,
  position: row.position,
  waitsFor: row.waits_for,
  waitUntil: row.wait_until,
  error: toFailure(row.error),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  finishedAt: row.finished_at,
});

const toFailure = (text: string | null): StoredFailure | null =>
  (valueIn(text) as StoredFailure | undefined) ?? null;
