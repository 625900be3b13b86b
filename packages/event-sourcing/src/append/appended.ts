import type { StoredEvent } from "../events/stored-event.ts";
import { toPosition } from "../events/position.ts";
import type { PreparedAppend } from "./prepare-append.ts";

/** Result of an append. */
export interface Appended {
  /** Version of the stream after it: the number of its last event. */
  readonly version: number;
  /** Position of its last event. */
  readonly position: string;
  /** Whether the events are new; `false` when the same ids had been appended before, whose result this is. */
  readonly isNew: boolean;
}

/** What the database gave to an event. */
export interface InsertedRow {
  readonly position: number;
  readonly version: number;
  readonly recorded_at: number;
}

/** An append and the events as readers will get them; none when it had happened before. */
export interface AppendedEvents {
  readonly appended: Appended;
  readonly rows: readonly InsertedRow[];
}

/** The result for inserted rows, in the order of versions. */
export const toAppended = (rows: readonly InsertedRow[]): AppendedEvents => {
  const { version = 0, position = 0 } = rows.at(-1) ?? {};
  return { rows, appended: { version, position: toPosition(position), isNew: true } };
};

/** The events of an append as readers will get them, without reading them. */
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
