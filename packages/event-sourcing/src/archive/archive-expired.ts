import { DatabaseUnavailableError, sql } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import { archiveStream, type StreamRef } from "./archive.ts";

/** Streams per query. */
const PAGE = 100;
/** Maximum number of streams in the message about failures. */
const MAX_SHOWN = 10;

/**
 * Archives the streams without a new event for `ttlSecs`, each in a separate transaction. Several processes may run it concurrently.
 *
 * A stream that cannot be archived is skipped, and reported after the others.
 *
 * @returns the number of archived streams
 * @throws DatabaseUnavailableError
 */
export const archiveExpired = async (
  base: StoreBase,
  ttlSecs: number,
  signal: AbortSignal,
): Promise<number> => {
  const since = sql`${base.now} - ${ttlSecs * 1000}`;
  const failures = new Failures();
  let archived = 0;
  for (let after: StreamRef = { tenant: "", stream: "" }; !signal.aborted;) {
    const streams = await base.db.query<StreamRef>`SELECT tenant, stream FROM framework_streams
      WHERE archived_at IS NULL AND updated_at < ${since} AND (tenant, stream) > (${after.tenant}, ${after.stream})
      ORDER BY tenant, stream LIMIT ${PAGE}`;
    for (const ref of streams) {
      const isArchived = await failures.attempt(ref, () =>
        base.db.transaction((tx) => archiveStream(base, tx, ref, since)),
      );
      if (isArchived) {
        archived++;
        base.counts.expired++;
      }
      if (signal.aborted) break;
    }
    const last = streams.at(-1);
    if (last === undefined || streams.length < PAGE) break;
    after = last;
  }
  failures.report(base);
  return archived;
};

/** The streams that could not be archived. */
class Failures {
  private count = 0;
  private readonly streams: StreamRef[] = [];
  private firstError: unknown;

  /** Returns `false` if the attempt fails. @throws DatabaseUnavailableError: the other streams would fail as well */
  async attempt(ref: StreamRef, archive: () => Promise<boolean>): Promise<boolean> {
    try {
      return await archive();
    } catch (error) {
      if (isUnavailable(error)) throw error;
      if (this.count++ === 0) this.firstError = error;
      if (this.streams.length < MAX_SHOWN) this.streams.push({ tenant: ref.tenant, stream: ref.stream });
      return false;
    }
  }

  report({ log }: StoreBase): void {
    if (this.count === 0) return;
    const { count, streams, firstError: error } = this;
    log.error("event-sourcing: streams could not be archived; the next run tries them again", {
      count,
      streams,
      error,
    });
  }
}

/** A transaction timeout is a failure of its stream: a long stream would exceed it again. */
const isUnavailable = (error: unknown): boolean =>
  error instanceof DatabaseUnavailableError && error.code !== "DATABASE_TRANSACTION_TIMEOUT";
