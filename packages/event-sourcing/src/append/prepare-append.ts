import type { Awaitable } from "@framework/core";
import { isPromise, mapAwaitable } from "@framework/core/feature";
import type { Queries } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import { eventError } from "../errors/event-error.ts";
import type { EventMetadata } from "../events/event-metadata.ts";
import type { NewEvent } from "../events/stored-event.ts";
import { MAX_BATCH, MAX_BATCH_BYTES } from "../limits.ts";
import { categoryOf } from "../names/category.ts";
import { checkStream, checkTenant } from "../names/check-name.ts";
import { type CheckedEvent, checkEvent } from "./check-event.ts";
import { checkExpected, type ExpectedVersion } from "./expected-version.ts";
import { type EncodedEvent, encodeEvents } from "./encode-events.ts";

/** Events for one stream. */
export interface StreamAppend {
  /** Name of the stream. */
  readonly stream: string;
  /** One event, or up to 1,000 events in order. */
  readonly events: NewEvent | readonly NewEvent[];
  /** Version that the stream must have. @default "any" */
  readonly expected?: ExpectedVersion | undefined;
  /** Tenant of the stream. @default none */
  readonly tenant?: string | undefined;
}

/** A validated and encoded append. */
export interface PreparedAppend {
  readonly tenant: string;
  readonly stream: string;
  readonly category: string;
  readonly expected: ExpectedVersion;
  readonly events: readonly EncodedEvent[];
  /** Whether the caller set an event id: the append may then be a repetition. */
  readonly hasGivenIds: boolean;
  /** Whether a conflict error leaves out the newer events. */
  readonly omitsNewer: boolean;
}

/**
 * Validates and encodes the events of an append.
 *
 * @param queries reads and creates the keys of personal data
 * @throws EVENTS_BAD_NAME, EVENTS_BAD_APPEND, EVENTS_UNKNOWN_TYPE, EVENTS_INVALID_DATA, EVENTS_TOO_LARGE
 */
export const prepareAppend = (
  base: StoreBase,
  { stream, events, expected = "any", tenant = "" }: StreamAppend,
  metadata: EventMetadata,
  queries: Queries,
  omitsNewer: boolean,
): Awaitable<PreparedAppend> => {
  checkStream(stream);
  checkTenant(tenant);
  checkExpected(expected);
  const list: readonly NewEvent[] = "type" in events ? [events] : events;
  checkCount(list);
  const hasGivenIds = list.some(({ id }) => id !== undefined);
  if (hasGivenIds) checkIds(list);
  const encoding = mapAwaitable(checkEvents(base, list, metadata), (checked) =>
    encodeEvents(base, { tenant, stream }, checked, queries),
  );
  const category = categoryOf(stream);
  return mapAwaitable(encoding, (encoded) => ({
    tenant,
    stream,
    category,
    expected,
    events: encoded,
    hasGivenIds,
    omitsNewer,
  }));
};

/** Checks the events in order. Synchronous unless a schema is asynchronous. */
const checkEvents = (
  { types }: StoreBase,
  events: readonly NewEvent[],
  metadata: EventMetadata,
): Awaitable<readonly CheckedEvent[]> => {
  const checked: CheckedEvent[] = [];
  for (const [at, event] of events.entries()) {
    const each = checkEvent(types, event, metadata);
    if (isPromise(each))
      return each.then(async (first) => {
        checked.push(first);
        for (const next of events.slice(at + 1)) checked.push(await checkEvent(types, next, metadata));
        return checked;
      });
    checked.push(each);
  }
  return checked;
};

/** @throws EVENTS_BAD_APPEND, EVENTS_TOO_LARGE */
const checkCount = ({ length }: readonly NewEvent[]): void => {
  if (length === 0) throw eventError("EVENTS_BAD_APPEND", "an append must have at least one event");
  if (length > MAX_BATCH) throw tooMany(length);
};

/** @throws EVENTS_BAD_APPEND */
const checkIds = (events: readonly NewEvent[]): void => {
  const ids = events.flatMap(({ id }) => (id === undefined ? [] : [id]));
  if (new Set(ids).size < ids.length)
    throw eventError("EVENTS_BAD_APPEND", "two events of one append have the same id");
};

const tooMany = (count: number): Error =>
  eventError("EVENTS_TOO_LARGE", `an append must have at most ${MAX_BATCH} events, not ${count}`);

/** Checks the total size of appends that are committed together. @throws EVENTS_TOO_LARGE */
export const checkTotal = (appends: readonly PreparedAppend[]): void => {
  let count = 0;
  let bytes = 0;
  for (const { events } of appends) {
    count += events.length;
    for (const event of events) bytes += event.bytes;
  }
  if (count > MAX_BATCH) throw tooMany(count);
  if (bytes > MAX_BATCH_BYTES)
    throw eventError(
      "EVENTS_TOO_LARGE",
      `an append must have at most ${MAX_BATCH_BYTES} bytes, not ${bytes}`,
    );
};
