import type { Queries } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import { decoderFor } from "../reading/event-decoder.ts";
import { PageSize } from "../reading/page-size.ts";
import { versionRows } from "../reading/read-versions.ts";
import type { Fold, FoldedState } from "../snapshots/fold.ts";
import type { StreamRef } from "../snapshots/snapshots.ts";
import { checkKnown } from "./decider.ts";

/** Applies the events after `from`, up to the end of the stream. */
export const foldTail = async <State>(
  base: StoreBase,
  queries: Queries,
  fold: Fold<State>,
  { tenant, stream }: StreamRef,
  from: FoldedState<State>,
): Promise<FoldedState<State>> => {
  let { state, version, lastEvent } = from;
  const keys = new Set(from.keys);
  for (const size = new PageSize(); ;) {
    const limit = size.get();
    const rows = await versionRows(base, queries, { tenant, stream, from: version + 1, limit });
    const decoder = await decoderFor(queries, base.types, rows);
    for (const key of decoder.keys) keys.add(key);
    for (const row of rows) {
      for (const event of decoder.decode(row)) {
        checkKnown(base.types.get(event.type) !== undefined, event);
        state = fold.evolve(state, event);
      }
      version = row.version;
      lastEvent = row.event_id;
    }
    if (rows.length < limit)
      return { state, version, lastEvent, keys, snapshotVersion: from.snapshotVersion };
    size.adapt(rows);
  }
};
