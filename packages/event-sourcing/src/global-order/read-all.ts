import type { StoreBase } from "../base/store-base.ts";
import { mistake } from "../errors/event-error.ts";
import { fromPosition, toPosition } from "../events/position.ts";
import type { StoredEvent } from "../events/stored-event.ts";
import { decoderFor } from "../reading/event-decoder.ts";
import { MAX_PAGE } from "../reading/page-size.ts";
import { checkNumber } from "../reading/read-stream.ts";
import type { ReadState } from "./frontier.ts";
import type { EventFilter, GlobalReader } from "./global-reader.ts";

/** Which events of all streams to read. */
export interface ReadAllOptions extends EventFilter {
  /** Position after which to begin. @default the beginning */
  readonly after?: string | undefined;
  /** Most events, counted as stored; 1 to 1,000. @default 500 */
  readonly limit?: number | undefined;
}

/** Events of all streams, in their global order. */
export interface EventBatch {
  /** The events, in their global order. */
  readonly events: readonly StoredEvent[];
  /** Where the next read continues: pass it as `after`. Also passes events that the filter excludes. */
  readonly position: string;
  /**
   * `"end"`: there was nothing more. `"more"`: read on. `"waiting"`: later events exist, but an append that is still open may come before them; read
   * again in some milliseconds.
   */
  readonly state: ReadState;
}

const DEFAULT_LIMIT = 500;
const MAX_TYPES = 1000;

/** Reads the next events of all streams. @throws EVENTS_BAD_READ, EVENTS_BAD_POSITION; EVENTS_UPCAST_FAILED and others of a single event */
export const readAll = async (
  base: StoreBase,
  reader: GlobalReader,
  { after, limit = DEFAULT_LIMIT, ...filter }: ReadAllOptions,
): Promise<EventBatch> => {
  checkReadAll(limit, filter);
  const from = after === undefined ? 0 : fromPosition(after);
  const { rows, position, state } = await reader.read(from, filter, limit, base.db);
  const decoder = await decoderFor(base.db, base.types, rows);
  return { events: rows.flatMap((row) => decoder.decode(row)), position: toPosition(position), state };
};

/** @throws EVENTS_BAD_READ */
const checkReadAll = (limit: number, { types }: EventFilter): void => {
  checkNumber("limit", limit, 1);
  checkTypes(types);
  if (limit > MAX_PAGE) throw mistake("EVENTS_BAD_READ", `\`limit\` is at most ${MAX_PAGE}, not ${limit}`);
};

/** @throws EVENTS_BAD_READ */
export const checkTypes = (types: EventFilter["types"]): void => {
  if (types !== undefined && (types.length === 0 || types.length > MAX_TYPES))
    throw mistake("EVENTS_BAD_READ", `\`types\` has 1 to ${MAX_TYPES} names, not ${types.length}`);
};
