import { sql } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import { archiveStream, type StreamRef } from "./archive.ts";

/** Streams per query. */
const PAGE = 100;

/**
 * Archives the streams without a new event for `ttlSecs`, each in a separate transaction. Several processes may run it concurrently.
 *
 * @returns the number of archived streams
 */
export const archiveExpired = async (
  base: StoreBase,
  ttlSecs: number,
  signal: AbortSignal,
): Promise<number> => {
  const since = sql`${base.now} - ${ttlSecs * 1000}`;
  let archived = 0;
  for (let after: StreamRef = { tenant: "", stream: "" }; !signal.aborted;) {
    const streams = await base.db.query<StreamRef>`SELECT tenant, stream FROM framework_streams
      WHERE archived_at IS NULL AND updated_at < ${since} AND (tenant, stream) > (${after.tenant}, ${after.stream})
      ORDER BY tenant, stream LIMIT ${PAGE}`;
    for (const ref of streams) {
      if (await base.db.transaction((tx) => archiveStream(base, tx, ref, since))) archived++;
      if (signal.aborted) break;
    }
    const last = streams.at(-1);
    if (last === undefined || streams.length < PAGE) break;
    after = last;
  }
  base.counts.expired += archived;
  return archived;
};
