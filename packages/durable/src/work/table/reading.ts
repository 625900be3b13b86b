import { priorities } from "./priorities.ts";
import { isFinished, type WorkState } from "./work-state.ts";
import type { WorkSession, WorkTable } from "./work-table.ts";

/** A row of the work table. */
export interface StoredRow {
  readonly id: number;
  readonly queue: string;
  readonly key: string | null;
  readonly unique_key: string | null;
  readonly priority: number;
  readonly state: WorkState;
  readonly run_at: number;
  readonly payload: string;
  readonly headers: string | null;
  readonly attempts: number;
  readonly progress: string | null;
  readonly result: string | null;
  readonly error: string | null;
  readonly created_at: number;
  readonly finished_at: number | null;
}

/** Selects the items of a list. */
export interface ListFilter {
  readonly queue: string;
  readonly state: WorkState | null;
  readonly key: string | null;
  /** Order in which the items were added. @default "oldest" first */
  readonly order?: "oldest" | "newest";
  /** Only items after the one with this id, in the list's order. @default all */
  readonly after?: number | undefined;
  readonly limit: number;
}

/** Numbers of unfinished items, and milliseconds since the oldest ready one was due. */
export interface CountedRows {
  readonly counts: Readonly<Record<string, number>>;
  readonly oldestReadyMs: number | null;
}

const FIELDS =
  "id, queue, key, unique_key, priority, state, run_at, payload, headers, attempts, progress, result, error, created_at, finished_at";

/** Up to this many finished items of a queue and state are listed through the index of finished items; for more, a scan in the order of ids is faster. */
const FEW = 1000;

/** Selects ids of finished items in the order of their index: without `ORDER BY`, PostgreSQL may scan the whole table. */
const finishedIds = (queue: string, state: string, limit: number): string =>
  `SELECT id FROM framework_work WHERE queue = ${queue} AND state = ${state} AND finished_at IS NOT NULL ORDER BY finished_at LIMIT ${limit}`;

/** Reads items for programs and operators. */
export class Reading {
  private readonly table: WorkTable;
  private readonly countText: string;

  constructor(table: WorkTable) {
    this.table = table;
    this.countText = countText(table.now);
  }

  /** Returns the item with an id, or the unfinished one with a unique key. */
  async get(queue: string, item: number | { readonly uniqueKey: string }): Promise<StoredRow | null> {
    const [condition, value] =
      typeof item === "number"
        ? ["id = $1", item]
        : ["unique_key = $1 AND finished_at IS NULL", item.uniqueKey];
    const text = `SELECT ${FIELDS} FROM framework_work WHERE ${condition} AND queue = $2`;
    const [row] = await this.table.select<StoredRow>(text, [value, queue]);
    return row ?? null;
  }

  async uniqueKeyOf(id: number, session: WorkSession): Promise<string | null> {
    const text = "SELECT unique_key FROM framework_work WHERE id = $1";
    const [row] = await session.query<Pick<StoredRow, "unique_key">>(text, [id]);
    return row?.unique_key ?? null;
  }

  /** Returns the JSON of an item's last failure; `null` without one. */
  async errorOf(id: number): Promise<string | null> {
    const [row] = await this.table.query<Pick<StoredRow, "error">>(
      "SELECT error FROM framework_work WHERE id = $1",
      [id],
    );
    return row?.error ?? null;
  }

  /** Lists items in the order in which they were added, or in reverse. */
  async list({
    queue,
    state,
    key,
    order = "oldest",
    after,
    limit,
  }: ListFilter): Promise<readonly StoredRow[]> {
    const [isAfter, by, first] =
      order === "oldest" ? ["id > $2", "id", 0] : ["id < $2", "id DESC", Number.MAX_SAFE_INTEGER];
    const isFew = state !== null && (await this.isFew(queue, state));
    const among = isFew ? ` AND id IN (SELECT few.id FROM (${finishedIds("$1", "$3", FEW)}) AS few)` : "";
    const text = `SELECT ${FIELDS} FROM framework_work WHERE queue = $1${among} AND ${isAfter} AND (CAST($3 AS TEXT) IS NULL OR state = $3) AND (CAST($4 AS TEXT) IS NULL OR key = $4) ORDER BY ${by} LIMIT $5`;
    return await this.table.select<StoredRow>(text, [queue, after ?? first, state, key, limit]);
  }

  /** Whether few items of a queue have ended in a state. A scan in the order of ids would read the items of all other queues to find them. */
  private async isFew(queue: string, state: WorkState): Promise<boolean> {
    if (!isFinished(state)) return false;
    const text = `SELECT count(*) AS items FROM (${finishedIds("$1", "$2", FEW + 1)}) AS few`;
    const [row] = await this.table.select<{ readonly items: number }>(text, [queue, state]);
    return (row?.items ?? 0) <= FEW;
  }

  /** Counts unfinished items of a queue, each state up to `limit`. */
  async count(queue: string, limit: number): Promise<CountedRows> {
    interface CountRow {
      readonly state: string;
      readonly items: number;
      readonly oldest: number | null;
    }
    const rows = await this.table.select<CountRow>(this.countText, [queue, limit]);
    const counts = Object.fromEntries(rows.map(({ state, items }) => [state, items]));
    const oldest = rows.find(({ state }) => state === "ready")?.oldest ?? null;
    return { counts, oldestReadyMs: oldest === null ? null : Math.max(0, oldest) };
  }
}

/**
 * The ready index is ordered by priority first, so the oldest item is the minimum over the first item of each priority.
 *
 * A recursive statement could find the priorities that occur, but on SQLite the database runs it in a separate process, because it might never terminate.
 */
const countText = (now: string): string => {
  const all = priorities().map((priority) => `(${priority})`);
  const ready = "FROM framework_work AS w WHERE w.queue = $1 AND w.state = 'ready'";
  const oldest = `WITH p (priority) AS (VALUES ${all.join(", ")})
SELECT ${now} - min((SELECT min(w.run_at) ${ready} AND w.priority = p.priority)) FROM p
WHERE p.priority BETWEEN (SELECT min(w.priority) ${ready}) AND (SELECT max(w.priority) ${ready})`;
  const countState = (state: string, age: string): string =>
    `SELECT '${state}' AS state, (SELECT count(*) FROM (SELECT 1 FROM framework_work WHERE queue = $1 AND state = '${state}' LIMIT $2) AS counted) AS items, ${age} AS oldest`;
  return [
    countState("ready", `(${oldest})`),
    ...["waiting", "blocked", "running"].map((state) => countState(state, "NULL")),
  ].join(" UNION ALL ");
};
