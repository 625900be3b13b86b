import { isPromise } from "@framework/core/feature";
import type { Queries } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import { mistake } from "../errors/event-error.ts";
import type { EventMetadata } from "../events/event-metadata.ts";
import type { NewEvent } from "../events/stored-event.ts";
import { MAX_BATCH, MAX_BATCH_BYTES } from "../limits.ts";
import { categoryOf } from "../names/category.ts";
import { checkStream, checkTenant } from "../names/check-name.ts";
import { checkEvent, type CheckedEvent } from "./check-event.ts";
import { checkExpected, type ExpectedVersion } from "./expected-version.ts";
import { type EncodedEvent, encodeEvents } from "./encode-events.ts";

/** Events for one stream. */
export interface StreamAppend {
  /** Name of the stream. */
  readonly stream: string;
  /** One event, or up to 1,000 in their order. */
  readonly events: NewEvent | readonly NewEvent[];
  /** Version that the stream must have. @default "any" */
  readonly expected?: ExpectedVersion | undefined;
  /** Tenant of the stream. @default none */
  readonly tenant?: string | undefined;
}

/** An append that was checked and encoded. */
export interface PreparedAppend {
  readonly tenant: string;
  readonly stream: string;
  readonly category: string;
  readonly expected: ExpectedVersion;
  readonly events: readonly EncodedEvent[];
  /** Whether the caller gave ids, so that the events may have been appended before. */
  readonly hasGivenIds: boolean;
  /** Whether a conflict error need not carry the newer events. */
  readonly omitsNewer: boolean;
}

/**
 * Checks and encodes the events of an append.
 *
 * @param queries reads and creates the keys of personal data
 * @throws EVENTS_BAD_NAME, EVENTS_BAD_APPEND, EVENTS_UNKNOWN_TYPE, EVENTS_INVALID_DATA, EVENTS_TOO_LARGE
 */
export const prepareAppend = async (
  base: StoreBase,
  { stream, events, expected = "any", tenant = "" }: StreamAppend,
  metadata: EventMetadata,
  queries: Queries,
  omitsNewer: boolean,
): Promise<PreparedAppend> => {
  checkStream(stream);
  checkTenant(tenant);
  checkExpected(expected);
  const list: readonly NewEvent[] = "type" in events ? [events] : events;
  checkCount(list);
  const hasGivenIds = list.some(({ id }) => id !== undefined);
  if (hasGivenIds) checkIds(list);
  const checked: CheckedEvent[] = [];
  for (const event of list) {
    const each = checkEvent(base.types, event, metadata);
    checked.push(isPromise(each) ? await each : each); // schemas are usually synchronous
  }
  const encoding = encodeEvents(base, { tenant, stream }, checked, queries);
  const encoded = isPromise(encoding) ? await encoding : encoding; // only keys of personal data are read
  return { tenant, stream, category: categoryOf(stream), expected, events: encoded, hasGivenIds, omitsNewer };
};

/** @throws EVENTS_BAD_APPEND, EVENTS_TOO_LARGE */
const checkCount = ({ length }: readonly NewEvent[]): void => {
  if (length === 0) throw mistake("EVENTS_BAD_APPEND", "an append has at least one event");
  if (length > MAX_BATCH) throw tooMany(length);
};

/** @throws EVENTS_BAD_APPEND */
const checkIds = (events: readonly NewEvent[]): void => {
  const ids = events.flatMap(({ id }) => (id === undefined ? [] : [id]));
  if (new Set(ids).size < ids.length)
    throw mistake("EVENTS_BAD_APPEND", "two events of one append have the same id");
};

const tooMany = (count: number): Error =>
  mistake("EVENTS_TOO_LARGE", `an append has at most ${MAX_BATCH} events, not ${count}`);

/** Checks the bounds of an append over several streams. @throws EVENTS_TOO_LARGE */
export const checkTotal = (appends: readonly PreparedAppend[]): void => {
  let count = 0;
  let bytes = 0;
  for (const { events } of appends) {
    count += events.length;
    for (const event of events) bytes += event.bytes;
  }
  if (count > MAX_BATCH) throw tooMany(count);
  if (bytes > MAX_BATCH_BYTES)
    throw mistake("EVENTS_TOO_LARGE", `an append has at most ${MAX_BATCH_BYTES} bytes, not ${bytes}`);
};
