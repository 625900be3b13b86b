import type { StoreBase } from "../base/store-base.ts";
import { eventError } from "../errors/event-error.ts";
import { fromPosition, toPosition } from "../events/position.ts";
import type { StoredEvent } from "../events/stored-event.ts";
import { decoderFor } from "../reading/event-decoder.ts";
import { MAX_PAGE } from "../reading/page-size.ts";
import { checkCategory, checkTenant } from "../names/check-name.ts";
import { checkNumber } from "../reading/read-stream.ts";
import type { ReadState } from "./frontier.ts";
import type { EventFilter, GlobalReader } from "./global-reader.ts";

/** Options of `readAll`. */
export interface ReadAllOptions extends EventFilter {
  /** Position after which to start. @default the beginning */
  readonly after?: string | undefined;
  /** Maximum number of events, counted as stored; 1 to 1,000. @default 500 */
  readonly limit?: number | undefined;
}

/** A batch of events of all streams. */
export interface EventBatch {
  /** The events, in the global order. */
  readonly events: readonly StoredEvent[];
  /** Pass it as `after` to the next read. It is also after events that the filter excludes. */
  readonly position: string;
  /**
   * `"end"`: there are no more events. `"more"`: read on. `"waiting"`: later events exist, but an open append may get an earlier position; read
   * again after a few milliseconds.
   */
  readonly state: ReadState;
}

const DEFAULT_LIMIT = 500;
const MAX_TYPES = 1000;
const wantedTypes = `1 to ${MAX_TYPES} names`;

/** Reads the next events of all streams. @throws EVENTS_BAD_READ, EVENTS_BAD_NAME, EVENTS_BAD_POSITION; EVENTS_UPCAST_FAILED and other errors of a single event */
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

/** @throws EVENTS_BAD_READ, EVENTS_BAD_NAME */
const checkReadAll = (limit: number, filter: EventFilter): void => {
  checkNumber("limit", limit, 1);
  checkFilter(filter);
  if (limit > MAX_PAGE)
    throw eventError("EVENTS_BAD_READ", `\`limit\` must be at most ${MAX_PAGE}, not ${limit}`);
};

/** Refuses values that would select no events: the position would move past all of them. @throws EVENTS_BAD_READ, EVENTS_BAD_NAME */
export const checkFilter = ({ types, category, tenant }: EventFilter): void => {
  checkTypes(types);
  if (category !== undefined) checkCategory(category);
  if (tenant !== undefined) checkTenant(tenant);
};

const checkTypes = (types: EventFilter["types"]): void => {
  if (types === undefined) return;
  if (!Array.isArray(types) || types.some((type) => typeof type !== "string"))
    throw eventError("EVENTS_BAD_READ", `\`types\` must be a list of ${wantedTypes}`); // a string would be read as a list of letters, which select no events
  if (types.length === 0 || types.length > MAX_TYPES)
    throw eventError("EVENTS_BAD_READ", `\`types\` must have ${wantedTypes}, not ${types.length}`);
};
