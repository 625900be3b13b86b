import { sql } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import { archiveStream, type StreamPlace } from "./archive.ts";

/** Streams looked at in one statement. */
const PAGE = 100;

/**
 * Archives the streams that have had no event for some time, each in a transaction of its own. Several processes may do it at once.
 *
 * @returns how many were archived
 */
export const archiveExpired = async (
  base: StoreBase,
  ttlSecs: number,
  signal: AbortSignal,
): Promise<number> => {
  const since = sql`${base.now} - ${ttlSecs * 1000}`;
  let archived = 0;
  for (let after: StreamPlace = { tenant: "", stream: "" }; !signal.aborted;) {
    const streams = await base.db.query<StreamPlace>`SELECT tenant, stream FROM framework_streams
      WHERE archived_at IS NULL AND updated_at < ${since} AND (tenant, stream) > (${after.tenant}, ${after.stream})
      ORDER BY tenant, stream LIMIT ${PAGE}`;
    for (const place of streams) {
      if (await base.db.transaction((tx) => archiveStream(base, tx, place, since))) archived++;
      if (signal.aborted) break;
    }
    const last = streams.at(-1);
    if (last === undefined || streams.length < PAGE) break;
    after = last;
  }
  base.counts.expired += archived;
  return archived;
};
