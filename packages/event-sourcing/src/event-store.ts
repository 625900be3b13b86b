import type { Database, Transaction } from "@framework/database";
import type { ParkedWork } from "@framework/durable";
import type { Appended } from "./append/appended.ts";
import { Appender, type WriteOptions } from "./append/appender.ts";
import type { ExpectedVersion } from "./append/expected-version.ts";
import type { StreamAppend } from "./append/prepare-append.ts";
import { archiveStream, restoreStream } from "./archive/archive.ts";
import type { StoreBase } from "./base/store-base.ts";
import { Aggregate } from "./deciders/aggregate.ts";
import type { Decider } from "./deciders/decider.ts";
import type { AnyEventType } from "./events/event-type.ts";
import { toPosition } from "./events/position.ts";
import type { NewEvent, StoredEvent } from "./events/stored-event.ts";
import { forgetSubject } from "./forgetting/forget-subject.ts";
import { CommitOrder } from "./global-order/commit-order.ts";
import type { Frontier } from "./global-order/frontier.ts";
import { GlobalReader } from "./global-order/global-reader.ts";
import { HighWaterMark } from "./global-order/high-water-mark.ts";
import { type EventBatch, readAll, type ReadAllOptions } from "./global-order/read-all.ts";
import { checkId, checkName, checkStream, checkTenant } from "./names/check-name.ts";
import { type ReadOptions, readStream } from "./reading/read-stream.ts";
import type { WaitOptions } from "./projections/running/wait-for.ts";
import type { Projections } from "./projections/projections.ts";
import type { EventHandler, SubscribeOptions, Subscription } from "./subscriptions/subscription.ts";
import { Snapshots } from "./snapshots/snapshots.ts";

/** Options of one append. */
export interface AppendOptions extends WriteOptions {
  /** Version that the stream must have. @default "any" */
  readonly expected?: ExpectedVersion | undefined;
  /** Tenant of the stream. @default none */
  readonly tenant?: string | undefined;
}

/** Where a call on a whole stream or person applies. */
export interface PlaceOptions {
  /** Tenant. @default none */
  readonly tenant?: string | undefined;
  /** The program's transaction. @default one of its own */
  readonly tx?: Transaction | undefined;
}

/** Streams with versions, and one order over all of them. */
export interface StreamStore {
  /** The database that it is in: transactions of this one can append. */
  readonly db: Database;
  /**
   * Appends events to a stream, all or none.
   *
   * With ids of the caller's, an append that is repeated happens once, and returns the first result.
   *
   * @throws ConflictError 409 when the stream does not have the expected version; EVENTS_STREAM_ARCHIVED, EVENTS_PARTIAL_OVERLAP;
   * EVENTS_INVALID_DATA, EVENTS_UNKNOWN_TYPE, EVENTS_TOO_LARGE, EVENTS_BAD_APPEND, EVENTS_BAD_NAME
   */
  append(stream: string, events: NewEvent | readonly NewEvent[], options?: AppendOptions): Promise<Appended>;
  /** Appends to several streams, all or none. Results are in the order given. @throws as `append` */
  appendMany(appends: readonly StreamAppend[], options?: WriteOptions): Promise<readonly Appended[]>;
  /** Yields the events of a stream, page by page; none when it does not exist. Archived streams are read as well. */
  read(stream: string, options?: ReadOptions): AsyncIterableIterator<StoredEvent>;
  /** Reads the next events of all streams, in one order in which no event ever appears before a position that was read. */
  readAll(options?: ReadAllOptions): Promise<EventBatch>;
  /**
   * The safe end of that order: no event will appear up to it any more. Events that wait for an append which is still open come after it, though they
   * are committed.
   */
  position(): Promise<string>;
  /** The aggregate of a decider: commands on the stream `name-id`. @throws EVENTS_UNKNOWN_TYPE, EVENTS_BAD_NAME */
  aggregate<State, Command, Types extends AnyEventType>(
    decider: Decider<State, Command, Types>,
    id: string,
    options?: Pick<PlaceOptions, "tenant">,
  ): Aggregate<State, Command, Types>;
  /** Archives a stream: it is read as before, but takes no events. Resolves to `false` when it does not exist, or was archived before. */
  archive(stream: string, options?: PlaceOptions): Promise<boolean>;
  /** Makes an archived stream take events again. Resolves to `false` when it is not archived. */
  restore(stream: string, options?: PlaceOptions): Promise<boolean>;
  /**
   * Deletes the key of a person: from then on, that person's fields in all events read as their placeholders, for ever.
   *
   * Resolves to `false` when there is no key.
   */
  forget(subject: string, options?: PlaceOptions): Promise<boolean>;
}

/** A store of events, with the views that are made of them. */
export interface EventStore extends StreamStore {
  /** The projections of the store. */
  readonly projections: Projections;
  /**
   * Events that projections could not apply: list, inspect, replay, discard. `app.durable.parked`, unless the store has a database of its own. Their
   * source is `projection`, their name that of the projection with its version, such as `shelf v1`, and their key the tenant, a slash and the key.
   */
  readonly parked: ParkedWork;
  /**
   * Waits until views contain every event up to a position, that of an append for example: a reader then finds what it wrote. Resolves to `false` after
   * the timeout.
   *
   * @throws EVENTS_BAD_POSITION 400, EVENTS_UNKNOWN_PROJECTION, EVENTS_BAD_READ; HttpError 503 (EVENTS_BUSY) when 10,000 wait
   */
  waitFor(position: string, options?: WaitOptions): Promise<boolean>;
  /**
   * Gives the events of all streams to a handler, one after the other, those to come included. While it works, nothing is read.
   *
   * @throws EVENTS_BAD_POSITION, EVENTS_BAD_READ, EVENTS_TOO_MANY_SUBSCRIPTIONS, CORE_BAD_CONFIG for the retry policy
   */
  subscribe(options: SubscribeOptions, handler: EventHandler): Subscription;
}

/** A store and its parts, for features that rest on it. */
export interface StoreParts {
  readonly store: StreamStore;
  readonly base: StoreBase;
  readonly appender: Appender;
  readonly reader: GlobalReader;
  readonly snapshots: Snapshots;
  /** Seconds that the oldest append in flight was open when readers last waited for it; 0 where readers never wait. */
  oldestOpenSecs(): number;
}

/** Creates a store on the parts that every member needs. */
export const buildStore = (base: StoreBase): StoreParts => {
  const appender = new Appender(base);
  const snapshots = new Snapshots(base);
  let frontier: Frontier | null = null;
  const lateFrontier: Frontier = {
    get position() {
      return (frontier ??= frontierOf(base)).position;
    },
    get returns() {
      return (frontier ??= frontierOf(base)).returns;
    },
    get returnedTo() {
      return (frontier ??= frontierOf(base)).returnedTo;
    },
    advance: () => (frontier ??= frontierOf(base)).advance(),
  };
  const reader = new GlobalReader(base, lateFrontier);
  const store: StreamStore = {
    get db() {
      return base.db;
    },
    append: (stream, events, options = {}) =>
      appender.append({ stream, events, expected: options.expected, tenant: options.tenant }, options),
    appendMany: (appends, options = {}) => appender.appendMany(appends, options),
    read: (stream, options) => readStream(base, stream, options),
    readAll: (options = {}) => readAll(base, reader, options),
    position: async () => toPosition(await reader.end()),
    aggregate: (decider, id, { tenant = "" } = {}) => {
      checkId(id); // else all without one would be the stream "name-undefined"
      const stream = `${decider.name}-${id}`;
      checkStream(stream);
      checkTenant(tenant);
      base.types.check(decider.events, `decider ${decider.name}`);
      return new Aggregate({ base, appender, snapshots }, decider, { stream, tenant });
    },
    archive: (stream, options) =>
      inTransaction(base, options, (tx) => archiveStream(base, tx, placeOf(stream, options))),
    restore: (stream, options) =>
      inTransaction(base, options, (tx) => restoreStream(base, tx, placeOf(stream, options))),
    forget: async (subject, options) => {
      checkName("subject", subject);
      checkTenant(options?.tenant ?? "");
      return await inTransaction(base, options, (tx) =>
        forgetSubject(base, tx, options?.tenant ?? "", subject),
      );
    },
  };
  const oldestOpenSecs = (): number => (frontier instanceof HighWaterMark ? frontier.oldestOpenSecs : 0);
  return { store, base, appender, reader, snapshots, oldestOpenSecs };
};

/** Readers follow the order of commits where positions are drawn in it, and the high-water mark elsewhere. */
const frontierOf = (base: StoreBase): Frontier =>
  base.db.dialect === "postgres" && base.settings.positions === "sequence"
    ? new HighWaterMark(base)
    : new CommitOrder(base);

const placeOf = (stream: string, options: PlaceOptions = {}): { stream: string; tenant: string } => {
  const { tenant = "" } = options;
  checkStream(stream);
  checkTenant(tenant);
  return { stream, tenant };
};

/** All or none, in the program's transaction too. */
const inTransaction = async <T>(
  base: StoreBase,
  { tx }: PlaceOptions = {},
  run: (tx: Transaction) => Promise<T>,
): Promise<T> => (tx === undefined ? await base.transaction(run) : await tx.transaction(run));
