/**
 * State of parked work: `parked` until an operator decides; `replaying` until the owner of its lane applies it, in the order of its key; `replayed` once
 * its source has it again; `discarded`.
 */
export type ParkedState = "parked" | "replaying" | "replayed" | "discarded";

/** All states. */
export const parkedStates: readonly ParkedState[] = ["parked", "replaying", "replayed", "discarded"];

/** Parked work in a list. */
export interface ParkedItem {
  /** Opaque id. */
  readonly id: string;
  /** Source that parked it, such as `work`. */
  readonly source: string;
  /** The queue, projection or subscription. */
  readonly name: string;
  /** Key of the work; `null` without one. */
  readonly key: string | null;
  /** Class of the last error: its `name`. */
  readonly errorClass: string;
  /** Message of the last error, truncated to 2,000 characters. */
  readonly errorMessage: string;
  /** Code of the last error; `null` if it had none. */
  readonly errorCode: string | null;
  /** Hash of the error's class and the functions of its stack: groups failures with the same cause. */
  readonly stackHash: string;
  /** Number of attempts, including failed replays of an ordered source; 0 for work that is blocked by an earlier item of its key (`DURABLE_PARKED_BEHIND`). */
  readonly attempts: number;
  /** Start of the first attempt, or when the work was added, in Unix ms by the database's clock, like the other times. */
  readonly firstAt: number;
  /** When it last failed. */
  readonly lastAt: number;
  /** `DurableConfig.codeVersion` of the process that parked it. */
  readonly codeVersion: string;
  /** State of the item. */
  readonly state: ParkedState;
  /** Reason for discarding it; `null` if it was not discarded. */
  readonly note: string | null;
  /** When it was replayed or discarded; `null` before. */
  readonly closedAt: number | null;
}

/** Parked work with all details. */
export interface ParkedDetails extends ParkedItem {
  /** Payload of the work, parsed from JSON. For a source that parks a reference, the value that `load` returns. */
  readonly payload: unknown;
  /** Headers of the work, such as trace context. */
  readonly headers: Readonly<Record<string, string>>;
  /** Data that only the source reads. */
  readonly detail: unknown;
  /** Stack of the last error, truncated to 8,000 characters; `null` if it had none. */
  readonly stack: string | null;
}

/** A row of the table. */
export interface ParkedRow {
  readonly id: number;
  readonly source: string;
  readonly name: string;
  readonly key: string | null;
  readonly lane: number | null;
  readonly payload: string;
  readonly headers: string | null;
  readonly detail: string | null;
  readonly error_class: string;
  readonly error_message: string;
  readonly error_code: string | null;
  readonly stack: string | null;
  readonly stack_hash: string;
  readonly attempts: number;
  readonly first_at: number;
  readonly last_at: number;
  readonly code_version: string;
  readonly state: ParkedState;
  readonly note: string | null;
  readonly closed_at: number | null;
}

/** Columns that `toItem` reads. */
export const ITEM_COLUMNS =
  "id, source, name, key, error_class, error_message, error_code, stack_hash, attempts, first_at, last_at, code_version, state, note, closed_at";

/** Converts a row to a `ParkedItem`. */
export const toItem = (
  row: Omit<ParkedRow, "lane" | "payload" | "headers" | "detail" | "stack">,
): ParkedItem => ({
  id: String(row.id),
  source: row.source,
  name: row.name,
  key: row.key,
  errorClass: row.error_class,
  errorMessage: row.error_message,
  errorCode: row.error_code,
  stackHash: row.stack_hash,
  attempts: row.attempts,
  firstAt: row.first_at,
  lastAt: row.last_at,
  codeVersion: row.code_version,
  state: row.state,
  note: row.note,
  closedAt: row.closed_at,
});

/** Converts a row with all of its columns to `ParkedDetails`. */
export const toDetails = (row: ParkedRow): ParkedDetails => ({
  ...toItem(row),
  payload: JSON.parse(row.payload),
  headers: JSON.parse(row.headers ?? "{}") as Readonly<Record<string, string>>,
  detail: JSON.parse(row.detail ?? "null"),
  stack: row.stack,
});
