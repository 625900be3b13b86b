import { DatabaseError } from "@framework/database";
import type { FinishedState } from "./work-state.ts";
import type { StatementShape } from "./statement.ts";
import type { WorkSession, WorkTable } from "./work-table.ts";

/** An item that was cancelled or restarted. */
export interface ChangedRow {
  readonly id: number;
  readonly key: string | null;
}

/** Retention of the items of a queue in a finished state. */
export interface KeepRule {
  readonly queue: string;
  readonly state: FinishedState;
  readonly keepMs: number;
}

const old = (rules: string, now: string | undefined, limit: string | undefined): string =>
  `SELECT w.id FROM ${rules} CROSS JOIN framework_work AS w
  WHERE w.queue = s.queue AND w.state = s.state AND w.finished_at IS NOT NULL AND w.finished_at <= ${now} - s.keep LIMIT ${limit}`;

export const pruneStatement: StatementShape = {
  name: "prune",
  parameters: { batch: "integer" },
  list: { queue: "text", state: "text", keep: "bigint" },
  returns: { id: "bigint" },
  postgres: ({ queue, state, keep, batch, now }) => `DELETE FROM framework_work WHERE id = ANY (ARRAY(
  ${old(`unnest(${queue}, ${state}, ${keep}) AS s (queue, state, keep)`, now, `${batch} FOR UPDATE OF w SKIP LOCKED`)})) RETURNING id`,
  sqlite: ({ list = "", batch, now }) =>
    `DELETE FROM framework_work WHERE id IN (${old(list, now, batch)}) RETURNING id`,
};

/** Cancels items, restarts failed and cancelled ones, and removes finished ones after their retention. */
export class Stopping {
  private readonly table: WorkTable;
  private readonly cancelText: string;
  private readonly restartText: string;

  constructor(table: WorkTable) {
    const { now } = table;
    this.table = table;
    this.cancelText = `UPDATE framework_work SET state = 'cancelled', owner = NULL, wake_at = NULL, fence = fence + 1, finished_at = ${now}
WHERE queue = $1 AND finished_at IS NULL`;
    this.restartText = `UPDATE framework_work SET state = 'ready', attempts = 0, run_at = ${now}, fence = fence + 1, finished_at = NULL, progress = NULL, result = NULL, error = NULL
WHERE id = $1 AND queue = $2 AND state IN ('failed', 'cancelled') RETURNING id, key`;
  }

  /**
   * Cancels an unfinished item, by its id or unique key: every later write of its owner is refused. `null` if there is none.
   *
   * @param keepRunning whether a running item continues; the result is then `null`
   */
  async cancel(
    queue: string,
    item: number | { readonly uniqueKey: string },
    {
      keepRunning = false,
      session = this.table,
    }: { readonly keepRunning?: boolean; readonly session?: WorkSession | undefined } = {},
  ): Promise<ChangedRow | null> {
    const [column, value] = typeof item === "number" ? ["id", item] : ["unique_key", item.uniqueKey];
    const idle = keepRunning ? " AND state <> 'running'" : "";
    const text = `${this.cancelText} AND ${column} = $2${idle} RETURNING id, key`;
    const [row] = await session.query<ChangedRow>(text, [queue, value]);
    return row ?? null;
  }

  /** Makes a failed or cancelled item ready again, with its number of attempts reset. `null` if there is none, or if its unique key is taken. */
  async restart(queue: string, id: number): Promise<ChangedRow | null> {
    try {
      const [row] = await this.table.query<ChangedRow>(this.restartText, [id, queue]);
      return row ?? null;
    } catch (error) {
      if (error instanceof DatabaseError && error.kind === "unique") return null;
      throw error;
    }
  }

  /** Removes up to `batch` items whose retention has ended. Returns their number. */
  async prune(rules: readonly KeepRule[], batch: number): Promise<number> {
    const list = rules.map(({ queue, state, keepMs }) => ({ queue, state, keep: keepMs }));
    return (await this.table.run(pruneStatement, { parameters: { batch }, list })).length;
  }
}
