import { type HeldItem, heldColumns, sortedById, valueIn } from "./held.ts";
import type { Placeholders, StatementShape } from "./statement.ts";
import type { WorkSession, WorkTable } from "./work-table.ts";

/** A transition of a running item to another state. */
export interface Settlement extends HeldItem {
  /** `waiting` and `ready` lead to another attempt. */
  readonly state: "waiting" | "ready" | "done" | "failed" | "parked";
  /** Milliseconds until it is due again. @default 0 */
  readonly delayMs?: number;
  /** JSON. @default unchanged */
  readonly result?: string | null;
  /** JSON. @default unchanged */
  readonly error?: string | null;
  /** Number subtracted from the attempts, for attempts that do not count; may be negative. @default 0 */
  readonly attemptsBack?: number;
}

/** Progress of a running item, as JSON. */
export interface ItemProgress extends HeldItem {
  readonly progress: string;
}

const settleColumns = {
  id: "bigint",
  fence: "bigint",
  state: "text",
  delay: "bigint",
  result: "text",
  error: "text",
  waits: "integer",
  ends: "integer",
  back: "integer",
};

/** SQL: the value of a list's column for the row of `framework_work`. */
const valueOf = ({ id, ...columns }: Placeholders, column: string): string =>
  valueIn(columns[column], id, "framework_work.id");
const isHeld = (places: Placeholders): string =>
  `framework_work.id = ANY (${places["id"]}) AND framework_work.fence = ${valueOf(places, "fence")}`;
const IS_LISTED = "framework_work.id = s.id AND framework_work.fence = s.fence";

export const removeStatement: StatementShape = {
  name: "remove",
  list: heldColumns,
  returns: { id: "bigint" },
  postgres: (places) => `DELETE FROM framework_work WHERE ${isHeld(places)} RETURNING id`,
  sqlite: ({ list }) =>
    `DELETE FROM framework_work WHERE id IN (SELECT w.id FROM ${list} JOIN framework_work AS w ON w.id = s.id AND w.fence = s.fence) RETURNING id`,
};

/** `waits` and `ends` are numbers derived from the state: PostgreSQL reads an array element of fixed size directly, but scans the earlier ones to reach a text. */
const settle = (of: (column: string) => string, now: string | undefined): string => {
  const due = `CASE WHEN ${of("waits")} = 1 THEN ${now} + ${of("delay")}`;
  return `UPDATE framework_work SET state = ${of("state")}, owner = NULL, fence = framework_work.fence + 1,
  wake_at = ${due} END, run_at = ${due} ELSE run_at END, attempts = attempts - ${of("back")},
  result = COALESCE(${of("result")}, framework_work.result), error = COALESCE(${of("error")}, framework_work.error),
  settled_at = ${now}, finished_at = CASE WHEN ${of("ends")} = 1 THEN ${now} END`;
};

export const settleStatement: StatementShape = {
  name: "settle",
  list: settleColumns,
  returns: { id: "bigint" },
  postgres: (places) =>
    `${settle((column) => valueOf(places, column), places["now"])} WHERE ${isHeld(places)} RETURNING id`,
  sqlite: ({ list, now }) =>
    `${settle((column) => `s.${column}`, now)} FROM ${list} WHERE ${IS_LISTED} RETURNING framework_work.id`,
};

export const progressStatement: StatementShape = {
  name: "progress",
  list: { ...heldColumns, progress: "text" },
  returns: { id: "bigint" },
  postgres: (places) =>
    `UPDATE framework_work SET progress = ${valueOf(places, "progress")} WHERE ${isHeld(places)} RETURNING id`,
  sqlite: ({ list }) =>
    `UPDATE framework_work SET progress = s.progress FROM ${list} WHERE ${IS_LISTED} RETURNING framework_work.id`,
};

/** Ends attempts. Each write is fenced: an item that was taken over, cancelled or removed meanwhile stays as it is. */
export class Settling {
  private readonly table: WorkTable;

  constructor(table: WorkTable) {
    this.table = table;
  }

  /** Removes finished items. Returns the ids of the items that were held. */
  async remove(held: readonly HeldItem[], session?: WorkSession): Promise<ReadonlySet<number>> {
    const list = sortedById(held).map(({ id, fence }) => ({ id, fence }));
    return idsOf(await this.table.run<Identified>(removeStatement, { list, session }));
  }

  /** Records outcomes. Returns the ids of the items that were held. */
  async settle(settlements: readonly Settlement[], session?: WorkSession): Promise<ReadonlySet<number>> {
    const list = sortedById(settlements).map(settlementRow);
    return idsOf(await this.table.run<Identified>(settleStatement, { list, session }));
  }

  /** Stores the progress of running items, as JSON. Returns the ids of the items that were held. */
  async progress(items: readonly ItemProgress[], session?: WorkSession): Promise<ReadonlySet<number>> {
    if (items.length === 0) return new Set();
    const list = sortedById(items).map(({ id, fence, progress }) => ({ id, fence, progress }));
    return idsOf(await this.table.run<Identified>(progressStatement, { list, session }));
  }
}

interface Identified {
  readonly id: number;
}

const idsOf = (rows: readonly Identified[]): ReadonlySet<number> => new Set(rows.map(({ id }) => id));

/** Returns the row of a settlement in the list of its statement. */
export const settlementRow = ({
  id,
  fence,
  state,
  delayMs = 0,
  result = null,
  error = null,
  attemptsBack = 0,
}: Settlement): Readonly<Record<keyof typeof settleColumns, string | number | null>> => ({
  id,
  fence,
  state,
  delay: Math.ceil(delayMs),
  result,
  error,
  waits: state === "waiting" ? 1 : 0,
  ends: state === "waiting" || state === "ready" ? 0 : 1,
  back: attemptsBack,
});
