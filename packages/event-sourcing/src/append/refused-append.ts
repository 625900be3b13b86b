import { type Queries, sql } from "@framework/database";
import { paddedList } from "../base/padded-list.ts";
import type { StoreBase } from "../base/store-base.ts";
import { refusal } from "../errors/event-error.ts";
import { toPosition } from "../events/position.ts";
import { MAX_NEWER_EVENTS } from "../limits.ts";
import { readVersions } from "../reading/read-versions.ts";
import type { AppendResult } from "./appended.ts";
import { ConflictError } from "./conflict-error.ts";
import { isExpected } from "./expected-version.ts";
import type { PreparedAppend } from "./prepare-append.ts";

interface State {
  readonly version: number;
  readonly archived_at: number | null;
}

/**
 * Finds out why an append inserted nothing. Returns the result of an earlier append of the same ids, or `null` if another attempt may succeed.
 *
 * @throws ConflictError, EVENTS_PARTIAL_OVERLAP, EVENTS_STREAM_ARCHIVED
 */
export const explainRefusal = async (
  base: StoreBase,
  queries: Queries,
  append: PreparedAppend,
): Promise<AppendResult | null> => {
  const { tenant, stream, expected } = append;
  const earlier = append.hasGivenIds ? await earlierResult(queries, append) : null;
  if (earlier !== null) {
    base.counts.repeated++;
    return earlier;
  }
  const state = await queries.fetchOne<State>`SELECT version, archived_at FROM framework_streams
    WHERE tenant = ${tenant} AND stream = ${stream}`;
  if (state !== null && state.archived_at !== null)
    throw refusal("EVENTS_STREAM_ARCHIVED", "The data was archived", `stream ${stream} is archived`);
  const actual = state?.version ?? 0;
  if (isExpected(expected, actual)) return null;
  base.counts.conflicts++;
  const from = typeof expected === "number" ? expected + 1 : 1;
  const limit = append.omitsNewer ? 0 : MAX_NEWER_EVENTS;
  const newer = limit === 0 ? [] : await readVersions(base, queries, { tenant, stream, from, limit });
  throw new ConflictError({ stream, tenant, expected, actual, newer });
};

interface ExistingEvent {
  readonly event_id: string;
  readonly version: number;
  readonly position: number;
}

/**
 * Returns the result of an earlier append of these ids; `null` if none exists.
 *
 * @throws EVENTS_PARTIAL_OVERLAP if only some exist, or not consecutively in this order
 */
const earlierResult = async (
  queries: Queries,
  { tenant, stream, events }: PreparedAppend,
): Promise<AppendResult | null> => {
  const ids = paddedList(events.map(({ id }) => id));
  const where = sql`WHERE tenant = ${tenant} AND stream = ${stream} AND event_id IN (${ids})`;
  const found =
    await queries.query<ExistingEvent>`SELECT event_id, version, position FROM framework_events ${where}
    UNION ALL SELECT event_id, version, position FROM framework_archived_events ${where} ORDER BY version`;
  const [first] = found;
  const last = found.at(-1);
  if (first === undefined || last === undefined) return null;
  const isSame =
    found.length === events.length &&
    events.every(({ id }, at) => found[at]?.event_id === id && found[at].version === first.version + at);
  if (isSame) return { version: last.version, position: toPosition(last.position), isNew: false };
  const message = `stream ${stream} has ${found.length} of the ${events.length} event ids, or has them in another order`;
  throw refusal("EVENTS_PARTIAL_OVERLAP", "Part of the change was made before", message);
};
