import type { Transaction } from "@framework/database";
import { failureOf, type ParkedDetails, type ParkedSource } from "@framework/durable/feature";
import type { StoreBase } from "../../base/store-base.ts";
import { decoderFor } from "../../reading/event-decoder.ts";
import { PARKED_SOURCE } from "../versions/parked-origin.ts";
import { parkedRows, parkedUnits } from "./parked-units.ts";

/**
 * Source of parked events of projections. On replay, the owner of the shard applies them, in a transaction of the view.
 *
 * @param wake wakes the owners of shards after the commit
 */
export const projectionSource = (base: StoreBase, wake: (tx: Transaction) => void): ParkedSource => ({
  source: PARKED_SOURCE,
  isOrdered: true,
  replay: async (tx) => wake(tx),
  load: async (item) => ({ ...(item.payload as object), ...(await dataOf(base, item)) }),
});

const everyEvent = { types: undefined, key: undefined, shards: 1 };

/** Returns the data of a parked event, with placeholders for forgotten persons. */
const dataOf = async (base: StoreBase, item: ParkedDetails): Promise<object> => {
  const rows = await parkedRows(base, base.db, item);
  const decoder = await decoderFor(base.db, base.types, rows);
  const [first] = parkedUnits(everyEvent, decoder, rows, item);
  if (first === undefined) return { data: null };
  return first.event === null ? { unreadable: failureOf(first.error).message } : { data: first.event.data };
};
