import type { StoredEvent } from "../events/stored-event.ts";
import { toPosition } from "../events/position.ts";
import type { PreparedAppend } from "./prepare-append.ts";

/** Result of an append. */
export interface AppendResult {
  /** Version of the stream after the append: the number of the last event. */
  readonly version: number;
  /** Position of the last appended event. */
  readonly position: string;
  /** `false` when the same event ids had been appended before; this is then the result of that append. */
  readonly isNew: boolean;
}

/** Values that the database assigned to an event. */
export interface InsertedRow {
  readonly position: number;
  readonly version: number;
  readonly recorded_at: number;
}

/** Result of an append, with the rows it inserted: none if it repeats an earlier append. */
export interface AppendResultWithRows {
  readonly appended: AppendResult;
  readonly rows: readonly InsertedRow[];
}

/** Returns the result of an append that inserted `rows`, in the order of versions. */
export const toAppendResult = (rows: readonly InsertedRow[]): AppendResultWithRows => {
  const { version = 0, position = 0 } = rows.at(-1) ?? {};
  return { rows, appended: { version, position: toPosition(position), isNew: true } };
};

/** Builds the events of an append as readers get them, without reading them back. */
export const storedEvents = (
  { tenant, stream, events }: PreparedAppend,
  rows: readonly InsertedRow[],
): readonly StoredEvent[] =>
  rows.flatMap(({ position, version, recorded_at }, at) => {
    const event = events[at];
    if (event === undefined) return [];
    const { id, type, value: data, ownMetadata: metadata } = event;
    const recordedAt = new Date(recorded_at);
    return { type, data, id, stream, tenant, version, position: toPosition(position), metadata, recordedAt };
  });
