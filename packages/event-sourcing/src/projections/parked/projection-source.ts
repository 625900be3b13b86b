import type { Transaction } from "@framework/database";
import { failureOf, type ParkedDetails, type ParkedSource } from "@framework/durable/feature";
import type { StoreBase } from "../../base/store-base.ts";
import { decoderFor } from "../../reading/event-decoder.ts";
import { PARKED_SOURCE } from "../versions/parked-place.ts";
import { parkedRows, parkedUnits } from "./parked-units.ts";

/**
 * The parked events of projections. The owner of the shard applies them, in the transaction of the view.
 *
 * @param wake wakes the owners after the commit
 */
export const projectionSource = (base: StoreBase, wake: (tx: Transaction) => void): ParkedSource => ({
  source: PARKED_SOURCE,
  isOrdered: true,
  replay: async (tx) => wake(tx),
  load: async (item) => ({ ...(item.payload as object), ...(await dataOf(base, item)) }),
});

const everyEvent = { types: undefined, key: undefined, shards: 1 };

/** Fields of forgotten persons are placeholders. */
const dataOf = async (base: StoreBase, item: ParkedDetails): Promise<object> => {
  const rows = await parkedRows(base, base.db, item);
  const decoder = await decoderFor(base.db, base.types, rows);
  const [first] = parkedUnits(everyEvent, decoder, rows, item);
  if (first === undefined) return { data: null };
  return first.event === null ? { unreadable: failureOf(first.error).message } : { data: first.event.data };
};
