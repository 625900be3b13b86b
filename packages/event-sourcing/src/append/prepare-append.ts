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
import { keysByTenant, keysOfSubjects, noKeys, type SubjectKeys } from "../personal-data/subject-keys.ts";
import { type CheckedEvent, checkEvent } from "./check-event.ts";
import { checkExpected, type ExpectedVersion } from "./expected-version.ts";
import { type EncodedEvent, encodeEvents, subjectsOf } from "./encode-events.ts";

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
  /** Whether the caller set an event id: the append may then be a retry. */
  readonly hasGivenIds: boolean;
  /** Whether a conflict error leaves out the newer events. */
  readonly omitsNewer: boolean;
}

/** A validated append. */
interface CheckedAppend extends Pick<PreparedAppend, "tenant" | "stream" | "expected" | "hasGivenIds"> {
  readonly events: readonly CheckedEvent[];
}

/**
 * Validates and encodes the events of an append.
 *
 * @param queries reads and creates the keys of personal data
 * @throws EVENTS_BAD_NAME, EVENTS_BAD_APPEND, EVENTS_UNKNOWN_TYPE, EVENTS_INVALID_DATA, EVENTS_TOO_LARGE
 */
export const prepareAppend = (
  base: StoreBase,
  append: StreamAppend,
  metadata: EventMetadata,
  queries: Queries,
  omitsNewer: boolean,
): Awaitable<PreparedAppend> =>
  mapAwaitable(checkAppend(base, append, metadata), (checked) => {
    const subjects = subjectsOf(checked.events);
    if (subjects.length === 0) return encodeAppend(checked, noKeys, omitsNewer);
    const finding = keysOfSubjects(queries, base.now, checked.tenant, new Set(subjects));
    return finding.then((keys) => encodeAppend(checked, keys, omitsNewer));
  });

/**
 * Validates and encodes the events of several appends that are committed together. The keys of all personal data are created by one call, after all events have
 * passed their schemas. Encoding may still refuse an event, such as one that is too large; without a transaction its key remains.
 *
 * @param queries reads and creates the keys of personal data
 * @throws EVENTS_BAD_NAME, EVENTS_BAD_APPEND, EVENTS_UNKNOWN_TYPE, EVENTS_INVALID_DATA, EVENTS_TOO_LARGE
 */
export const prepareAppends = async (
  base: StoreBase,
  appends: readonly StreamAppend[],
  metadata: EventMetadata,
  queries: Queries,
): Promise<readonly PreparedAppend[]> => {
  const all: CheckedAppend[] = [];
  for (const append of appends) all.push(await checkAppend(base, append, metadata));
  checkTotalCount(all);
  const subjects = new Map<string, Set<string>>();
  for (const { tenant, events } of all) {
    const ofTenant = subjects.get(tenant) ?? new Set();
    for (const subject of subjectsOf(events)) subjects.set(tenant, ofTenant.add(subject));
  }
  const keys = await keysByTenant(queries, base.now, subjects);
  return all.map((checked) => encodeAppend(checked, keys.get(checked.tenant) ?? noKeys, false));
};

const checkAppend = (
  base: StoreBase,
  { stream, events, expected = "any", tenant = "" }: StreamAppend,
  metadata: EventMetadata,
): Awaitable<CheckedAppend> => {
  checkStream(stream);
  checkTenant(tenant);
  checkExpected(expected);
  const list = eventList(events);
  checkCount(list);
  const hasGivenIds = list.some(({ id }) => id !== undefined);
  if (hasGivenIds) checkIds(list);
  return mapAwaitable(checkEvents(base, list, metadata), (checked) => ({
    tenant,
    stream,
    expected,
    events: checked,
    hasGivenIds,
  }));
};

const encodeAppend = (
  { tenant, stream, expected, events, hasGivenIds }: CheckedAppend,
  keys: SubjectKeys,
  omitsNewer: boolean,
): PreparedAppend => ({
  tenant,
  stream,
  category: categoryOf(stream),
  expected,
  events: encodeEvents({ tenant, stream }, events, keys),
  hasGivenIds,
  omitsNewer,
});

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

/** Untyped programs may pass other values. @throws EVENTS_BAD_APPEND */
const eventList = (events: StreamAppend["events"]): readonly NewEvent[] => {
  const list: readonly unknown[] = Array.isArray(events) ? [...events] : [events]; // a copy: schemas may be asynchronous
  if (list.every((event) => typeof event === "object" && event !== null)) return list as readonly NewEvent[];
  throw eventError("EVENTS_BAD_APPEND", "the events of an append must be an event or a list of events");
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

/** Checks the total number of events of appends that are committed together. @throws EVENTS_TOO_LARGE */
const checkTotalCount = (appends: readonly CheckedAppend[]): void => {
  const count = appends.reduce((sum, { events }) => sum + events.length, 0);
  if (count > MAX_BATCH) throw tooMany(count);
};

/** Checks the total size of appends that are committed together. @throws EVENTS_TOO_LARGE */
export const checkTotalBytes = (appends: readonly PreparedAppend[]): void => {
  let bytes = 0;
  for (const { events } of appends) for (const event of events) bytes += event.bytes;
  if (bytes > MAX_BATCH_BYTES)
    throw eventError(
      "EVENTS_TOO_LARGE",
      `an append must have at most ${MAX_BATCH_BYTES} bytes, not ${bytes}`,
    );
};
