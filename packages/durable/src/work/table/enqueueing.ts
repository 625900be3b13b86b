import { DatabaseError } from "@framework/database";
import type { Placeholders, StatementShape } from "./statement.ts";
import type { RunOptions, WorkSession, WorkTable } from "./work-table.ts";

/** An item to add, checked and serialised. */
export interface NewRow {
  /** Ordering key; `null` for none. */
  readonly key: string | null;
  /** Key that only one unfinished item may have; `null` for none. */
  readonly uniqueKey: string | null;
  /** -100 to 100; items with a higher priority run first. */
  readonly priority: number;
  /** Milliseconds from now; ignored with `runAt`. */
  readonly delayMs: number;
  /** Unix milliseconds; `null` to use `delayMs`. */
  readonly runAt: number | null;
  /** JSON. */
  readonly payload: string;
  /** JSON. */
  readonly headers: string | null;
}

/** The added item, or the existing unfinished one with its unique key. */
export interface AddedRow {
  readonly id: number;
  readonly isNew: boolean;
}

/** Maximum number of attempts to add rows whose unique keys are freed and taken again between two statements, or that deadlock. */
const MAX_ATTEMPTS = 10;

const selectRows = ({ list }: Placeholders, now: string | undefined): string =>
  `SELECT s.n, s.key, s.unique_key, s.priority, COALESCE(s.run_at, ${now} + s.delay) AS due, s.payload, s.headers FROM ${list}`;

const insert = (
  places: Placeholders,
): string => `INSERT INTO framework_work (queue, key, unique_key, priority, state, run_at, wake_at, payload, headers, created_at)
SELECT ${places["queue"]}, key, unique_key, priority, CASE WHEN due > ${places["now"]} THEN 'waiting' ELSE 'ready' END, due, CASE WHEN due > ${places["now"]} THEN due END, payload, headers, ${places["now"]}
FROM (${selectRows(places, places["now"])}) AS given WHERE true ORDER BY n
ON CONFLICT (queue, unique_key) WHERE unique_key IS NOT NULL AND finished_at IS NULL DO NOTHING
RETURNING id, unique_key`;

/** SQL of PostgreSQL: column arrays as a `FROM` item. */
const unnestColumns = (places: Placeholders, columns: Readonly<Record<string, string>>): string => {
  const names = Object.keys(columns);
  return `unnest(${names.map((name) => places[name]).join(", ")}) AS s (${names.join(", ")})`;
};

const rowColumns = {
  n: "integer",
  key: "text",
  unique_key: "text",
  priority: "smallint",
  delay: "bigint",
  run_at: "bigint",
  payload: "text",
  headers: "text",
};

const returns = { id: "bigint", unique_key: "text" };

export const insertStatement: StatementShape = {
  name: "insert",
  parameters: { queue: "text" },
  list: rowColumns,
  returns,
  postgres: (places) => insert({ ...places, list: unnestColumns(places, rowColumns) }),
  sqlite: insert,
};

const find = ({ queue }: Placeholders, list: string | undefined): string =>
  `SELECT w.id, w.unique_key FROM ${list} CROSS JOIN framework_work AS w
WHERE w.queue = ${queue} AND w.unique_key = s.unique_key AND w.unique_key IS NOT NULL AND w.finished_at IS NULL`;

export const findStatement: StatementShape = {
  name: "find",
  parameters: { queue: "text" },
  list: { unique_key: "text" },
  returns,
  postgres: (places) => find(places, unnestColumns(places, { unique_key: "text" })),
  sqlite: (places) => find(places, places["list"]),
};

/** Adds items to queues. */
export class Enqueueing {
  private readonly table: WorkTable;

  constructor(table: WorkTable) {
    this.table = table;
  }

  /** Adds rows to a queue, in order; in one statement unless unique keys are taken. */
  async add(queue: string, rows: readonly NewRow[], session?: WorkSession): Promise<readonly AddedRow[]> {
    const added: AddedRow[] = [];
    let missing = Array.from(rows.keys());
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      await this.insert(queue, { rows, missing, added }, session);
      missing = missing.filter((at) => added[at] === undefined);
      if (missing.length === 0) return added;
      await this.find(queue, { rows, missing, added }, session);
      missing = missing.filter((at) => added[at] === undefined);
      if (missing.length === 0) return added;
    }
    throw new Error(`durable: a unique key was taken and freed between two statements ${MAX_ATTEMPTS} times`);
  }

  private async insert(
    queue: string,
    { rows, missing, added }: Insertion,
    session: WorkSession | undefined,
  ): Promise<void> {
    const list = missing.map((at, n) => parameterOf(rows[at] as NewRow, n));
    const inserted = await this.runInsert({ parameters: { queue }, list, session });
    inserted.sort((a, b) => a.id - b.id); // ids are assigned in the order of the rows
    const plain = missing.filter((at) => rows[at]?.uniqueKey === null).values();
    const unique = indexesOf(rows, missing.toReversed()); // of two rows with one key the first is inserted
    for (const { id, unique_key } of inserted) {
      const at = unique_key === null ? plain.next().value : unique.get(unique_key);
      if (at !== undefined) added[at] = { id, isNew: true };
    }
  }

  /**
   * Callers that add the same unique keys in different orders may deadlock. PostgreSQL aborts one of them, which retries; in a caller's transaction, the
   * whole transaction must be retried.
   */
  private async runInsert(options: RunOptions): Promise<IdentifiedRow[]> {
    for (let attempt = 1; ; attempt++)
      try {
        return await this.table.run<IdentifiedRow>(insertStatement, options);
      } catch (error) {
        const isDeadlock = error instanceof DatabaseError && error.kind === "deadlock";
        if (!isDeadlock || options.session !== undefined || attempt === MAX_ATTEMPTS) throw error;
      }
  }

  /** Finds the items that have the unique keys of rows that were not inserted. */
  private async find(
    queue: string,
    { rows, missing, added }: Insertion,
    session: WorkSession | undefined,
  ): Promise<void> {
    const list = missing.map((at) => ({ unique_key: rows[at]?.uniqueKey ?? null }));
    const found = await this.table.run<IdentifiedRow>(findStatement, {
      parameters: { queue },
      list,
      session,
    });
    const ids = new Map(found.map(({ id, unique_key }) => [unique_key, id]));
    for (const at of missing) {
      const id = ids.get(rows[at]?.uniqueKey ?? null);
      if (id !== undefined) added[at] = { id, isNew: false };
    }
  }
}

/** State of an insertion: the rows, the indexes of the rows still missing, and the results by index. */
interface Insertion {
  readonly rows: readonly NewRow[];
  readonly missing: readonly number[];
  readonly added: AddedRow[];
}

interface IdentifiedRow {
  readonly id: number;
  readonly unique_key: string | null;
}

const indexesOf = (rows: readonly NewRow[], indexes: readonly number[]): ReadonlyMap<string | null, number> =>
  new Map(indexes.map((at) => [rows[at]?.uniqueKey ?? null, at]));

const parameterOf = (
  row: NewRow,
  n: number,
): Readonly<Record<keyof typeof rowColumns, string | number | null>> => ({
  n,
  key: row.key,
  unique_key: row.uniqueKey,
  priority: row.priority,
  delay: row.delayMs,
  run_at: row.runAt,
  payload: row.payload,
  headers: row.headers,
});
