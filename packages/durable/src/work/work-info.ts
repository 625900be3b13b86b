import { failureIn, type StoredFailure } from "../parked/failure.ts";
import type { StoredRow } from "./table/reading.ts";
import type { WorkState } from "./table/work-state.ts";

/** An item, for programs and operators. */
export interface WorkInfo {
  /** Opaque id of the item. */
  readonly id: string;
  /** Name of the queue. */
  readonly queue: string;
  /** State of the work. */
  readonly state: WorkState;
  /** The enqueued payload. */
  readonly payload: unknown;
  /** The enqueued headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Key of the work; `null` without one. */
  readonly key: string | null;
  /** Its unique key; `null` without one. */
  readonly uniqueKey: string | null;
  /** Its priority, from −100 to 100. */
  readonly priority: number;
  /** Number of attempts that have begun. */
  readonly attempts: number;
  /** Last value that the handler passed to `progress`; `null` without one. */
  readonly progress: unknown;
  /** Return value of the handler, or the result passed to `complete`; `null` before the item is done, and when results are not kept. */
  readonly result: unknown;
  /** The last failure; `null` without one. */
  readonly error: StoredFailure | null;
  /** When it is or was due, in Unix ms by the database's clock, like the other times. */
  readonly runAt: number;
  /** When it was enqueued. */
  readonly createdAt: number;
  /** When it finished; `null` while it is unfinished. */
  readonly finishedAt: number | null;
}

/** Converts a row of the work table to a `WorkInfo`. */
export const toInfo = (row: StoredRow): WorkInfo => ({
  id: String(row.id),
  queue: row.queue,
  state: row.state,
  payload: parse(row.payload),
  headers: parse(row.headers ?? "{}") as Readonly<Record<string, string>>,
  key: row.key,
  uniqueKey: row.unique_key,
  priority: row.priority,
  attempts: row.attempts,
  progress: parse(row.progress),
  result: parse(row.result),
  error: row.error === null ? null : failureIn(row.error),
  runAt: row.run_at,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
});

const parse = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
