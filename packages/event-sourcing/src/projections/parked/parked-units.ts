import type { Queries } from "@framework/database";
import type { ParkedDetails } from "@framework/durable/feature";
import type { StoreBase } from "../../base/store-base.ts";
import { eventColumns, type EventRow } from "../../events/event-row.ts";
import type { EventDecoder } from "../../reading/event-decoder.ts";
import type { ParkedDetail } from "../shards/park-units.ts";
import { type Unit, unitsOf, type UnitsOptions, UNREADABLE } from "../shards/units.ts";

/** Reads the stored event of a parked item. */
export const parkedRows = async (
  { db: { dialect } }: StoreBase,
  queries: Queries,
  item: ParkedDetails,
): Promise<readonly EventRow[]> => {
  const { position } = item.detail as ParkedDetail;
  const columns = eventColumns(dialect);
  return await queries.query<EventRow>`SELECT ${columns} FROM framework_events WHERE position = ${position}
    UNION ALL SELECT ${columns} FROM framework_archived_events WHERE position = ${position}`;
};

/** Returns the event of a parked item, or all events upcast from a stored event that was unreadable. Empty if the present upcasters no longer produce it. */
export const parkedUnits = (
  projection: UnitsOptions,
  decoder: EventDecoder,
  rows: readonly EventRow[],
  item: ParkedDetails,
): readonly Unit[] => {
  const { part } = item.detail as ParkedDetail;
  const units = unitsOf(projection, decoder, rows);
  return part === UNREADABLE ? units : units.filter((each) => each.part === part);
};
