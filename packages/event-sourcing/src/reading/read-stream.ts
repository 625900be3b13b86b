import type { Queries } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import { eventError, shownValue } from "../errors/event-error.ts";
import type { StoredEvent } from "../events/stored-event.ts";
import { checkStream, checkTenant } from "../names/check-name.ts";
import { decoderFor } from "./event-decoder.ts";
import { PageSize } from "./page-size.ts";
import { versionRows } from "./read-versions.ts";

/** Options of `read`. */
export interface ReadOptions {
  /** Version to start at. @default the first, or the last with `backwards` */
  readonly from?: number;
  /** Version to stop at, inclusive. @default the last, or the first with `backwards` */
  readonly to?: number;
  /** Maximum number of events, counted as stored. @default all */
  readonly limit?: number;
  /** Newest first. @default false */
  readonly backwards?: boolean;
  /** Tenant of the stream. @default none */
  readonly tenant?: string;
  /** Reads in this transaction, including its own appends. @default none */
  readonly tx?: Queries | undefined;
}

/** Yields the events of a stream page by page; none if it does not exist. @throws EVENTS_BAD_READ, EVENTS_BAD_NAME */
export const readStream = (
  base: StoreBase,
  stream: string,
  options: ReadOptions = {},
): AsyncIterableIterator<StoredEvent> => {
  checkStream(stream);
  const { tenant = "" } = options;
  checkTenant(tenant); // null would select no events
  for (const name of ["from", "to", "limit"] as const) checkNumber(name, options[name]);
  return pages(base, stream, options);
};

async function* pages(
  base: StoreBase,
  stream: string,
  { from, to, limit = Infinity, backwards = false, tenant = "", tx }: ReadOptions,
): AsyncGenerator<StoredEvent> {
  const queries = tx ?? base.db;
  const size = new PageSize();
  let low = (backwards ? to : from) ?? 1;
  let high = (backwards ? from : to) ?? Number.MAX_SAFE_INTEGER;
  for (let left = limit; left > 0 && low <= high;) {
    const wanted = Math.min(left, size.get());
    const rows = await versionRows(base, queries, {
      tenant,
      stream,
      from: low,
      to: high,
      limit: wanted,
      backwards,
    });
    const decoder = await decoderFor(queries, base.types, rows);
    for (const row of rows) yield* backwards ? decoder.decode(row).toReversed() : decoder.decode(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < wanted) return;
    if (backwards) high = last.version - 1;
    else low = last.version + 1;
    left -= rows.length;
    size.adapt(rows);
  }
}

/** @throws EVENTS_BAD_READ */
export const checkNumber = (
  name: string,
  value: number | undefined,
  min = 0,
  max: number = Infinity,
): void => {
  if (value === undefined || (Number.isSafeInteger(value) && value >= min && value <= max)) return;
  const upTo = max === Infinity ? "" : ` to ${max}`;
  throw eventError(
    "EVENTS_BAD_READ",
    `\`${name}\` must be an integer from ${min}${upTo}, not ${shownValue(value)}`,
  );
};
