import type { Queries } from "@framework/database";
import type { ParkedDetails } from "@framework/durable/feature";
import type { StoreBase } from "../../base/store-base.ts";
import { eventColumns, type EventRow } from "../../events/event-row.ts";
import { decoderFor } from "../../reading/event-decoder.ts";
import type { ParkedDetail } from "../shards/park-units.ts";
import { type Unit, type UnitsOptions, unitsOf, UNREADABLE } from "../shards/units.ts";

/** The event of a parked item, or all that upcasters make of one that could not be read; none when code of now makes none of it. */
export const parkedUnits = async (
  base: StoreBase,
  queries: Queries,
  projection: UnitsOptions,
  { detail }: ParkedDetails,
): Promise<readonly Unit[]> => {
  const { position, part } = detail as ParkedDetail;
  const columns = eventColumns(base.db.dialect);
  const rows =
    await queries.query<EventRow>`SELECT ${columns} FROM framework_events WHERE position = ${position}
    UNION ALL SELECT ${columns} FROM framework_archived_events WHERE position = ${position}`;
  const decoder = await decoderFor(queries, base.types, rows);
  const units = unitsOf(projection, decoder, rows);
  return part === UNREADABLE ? units : units.filter((each) => each.part === part);
};
