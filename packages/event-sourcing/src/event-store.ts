import type { Database, Transaction } from "@framework/database";
import type { ParkedWork } from "@framework/durable";
import type { AppendResult } from "./append/appended.ts";
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

/** Tenant and transaction of a call on a stream or person. */
export interface ScopeOptions {
  /** Tenant of the stream or person. @default none */
  readonly tenant?: string | undefined;
  /** Transaction of the caller. @default a separate transaction */
  readonly tx?: Transaction | undefined;
}

/** Streams with versions, and a global order over all streams. */
export interface StreamStore {
  /** Database of the store; its transactions can be passed as `tx`. */
  readonly db: Database;
  /**
   * Appends events to a stream atomically.
   *
   * Idempotent if the caller sets event ids: a repeated append changes nothing and returns the first result with `isNew: false`.
   *
   * @throws ConflictError 409 when the stream does not have the expected version; EVENTS_STREAM_ARCHIVED, EVENTS_PARTIAL_OVERLAP; HttpError 503 (EVENTS_OUTDATED);
   * EVENTS_INVALID_DATA, EVENTS_UNKNOWN_TYPE, EVENTS_TOO_LARGE, EVENTS_BAD_APPEND, EVENTS_BAD_NAME
   */
  append(
    stream: string,
    events: NewEvent | readonly NewEvent[],
    options?: AppendOptions,
  ): Promise<AppendResult>;
  /** Appends to several streams atomically. Results are in the order given. @throws as `append` */
  appendMany(appends: readonly StreamAppend[], options?: WriteOptions): Promise<readonly AppendResult[]>;
  /** Yields the events of a stream, archived or not, reading page by page; none if it does not exist. */
  read(stream: string, options?: ReadOptions): AsyncIterableIterator<StoredEvent>;
  /** Reads the next events of all streams in the global order. No event ever appears before a position that was read. */
  readAll(options?: ReadAllOptions): Promise<EventBatch>;
  /**
   * Returns the safe end of the global order: no further event will appear up to it. Committed events that wait for an append in an open transaction come
   * after it.
   */
  position(): Promise<string>;
  /** Returns the aggregate of a decider, which executes commands on the stream `name-id`. @throws EVENTS_UNKNOWN_TYPE, EVENTS_BAD_NAME */
  aggregate<State, Command, Types extends AnyEventType>(
    decider: Decider<State, Command, Types>,
    id: string,
    options?: Pick<ScopeOptions, "tenant">,
  ): Aggregate<State, Command, Types>;
  /** Archives a stream: it is read as before, but accepts no events. Resolves to `false` if it does not exist or is already archived. */
  archive(stream: string, options?: ScopeOptions): Promise<boolean>;
  /** Makes an archived stream accept events again. Resolves to `false` if it is not archived. */
  restore(stream: string, options?: ScopeOptions): Promise<boolean>;
  /**
   * Deletes the key of a person: from then on, that person's encrypted fields permanently read as their placeholders.
   *
   * Resolves to `false` if there is no key.
   */
  forget(subject: string, options?: ScopeOptions): Promise<boolean>;
}

/** A store of events and of the views built from them. */
export interface EventStore extends StreamStore {
  /** The projections of the store. */
  readonly projections: Projections;
  /**
   * Lists, inspects, replays and discards events that projections could not apply. The same as `app.durable.parked`, unless the store has a separate
   * database. Their source is `projection`, their name the projection and its version, such as `shelf v1`, and their key `tenant/key`.
   */
  readonly parked: ParkedWork;
  /**
   * Waits until views contain every event up to a position, such as the position of an append: callers can then read their own writes. Resolves to `false`
   * after the timeout.
   *
   * @throws EVENTS_BAD_POSITION 400, EVENTS_UNKNOWN_PROJECTION, EVENTS_BAD_READ; HttpError 503 (EVENTS_BUSY) if 10,000 calls are waiting
   */
  waitFor(position: string, options?: WaitOptions): Promise<boolean>;
  /**
   * Passes present and future events of all streams to a handler, one at a time. Reads the next batch only when the handler has finished the previous one.
   *
   * @throws EVENTS_BAD_POSITION, EVENTS_BAD_READ, EVENTS_BAD_NAME, EVENTS_TOO_MANY_SUBSCRIPTIONS, CORE_BAD_CONFIG for the retry policy
   */
  subscribe(options: SubscribeOptions, handler: EventHandler): Subscription;
}

/** A store and its components, for features built on it. */
export interface StoreParts {
  readonly store: StreamStore;
  readonly base: StoreBase;
  readonly appender: Appender;
  readonly reader: GlobalReader;
  readonly snapshots: Snapshots;
  /** Age in seconds of the oldest transaction with an open append that readers wait for; 0 if they wait for none. */
  oldestOpenSecs(): number;
}

/** Builds a store, without projections and subscriptions. */
export const buildStore = (base: StoreBase): StoreParts => {
  const appender = new Appender(base);
  const snapshots = new Snapshots(base);
  let frontier: Frontier | null = null;
  const lazyFrontier: Frontier = {
    get position() {
      return (frontier ??= frontierOf(base)).position;
    },
    get rewinds() {
      return (frontier ??= frontierOf(base)).rewinds;
    },
    get rewoundTo() {
      return (frontier ??= frontierOf(base)).rewoundTo;
    },
    advance: () => (frontier ??= frontierOf(base)).advance(),
  };
  const reader = new GlobalReader(base, lazyFrontier);
  const store: StreamStore = {
    get db() {
      return base.db;
    },
    append(stream, events, options) {
      const given: AppendOptions = { ...options }; // a copy, because untyped programs may pass null
      return appender.append({ stream, events, expected: given.expected, tenant: given.tenant }, given);
    },
    appendMany: (appends, options) => appender.appendMany(appends, { ...options }),
    read: (stream, options) => readStream(base, stream, options),
    readAll: (options = {}) => readAll(base, reader, options),
    position: async () => toPosition(await reader.end()),
    aggregate: (decider, id, { tenant = "" } = {}) => {
      checkId(id); // otherwise a missing id would mean the stream "name-undefined"
      const stream = `${decider.name}-${id}`;
      checkStream(stream);
      checkTenant(tenant);
      base.types.check(decider.events, `decider ${decider.name}`);
      return new Aggregate({ base, appender, snapshots }, decider, { stream, tenant });
    },
    archive: (stream, options) =>
      inTransaction(base, options, (tx) => archiveStream(base, tx, refOf(stream, options))),
    restore: (stream, options) =>
      inTransaction(base, options, (tx) => restoreStream(base, tx, refOf(stream, options))),
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

/** Returns a `CommitOrder` where positions are drawn in commit order, and a `HighWaterMark` elsewhere. */
const frontierOf = (base: StoreBase): Frontier =>
  base.db.dialect === "postgres" && base.settings.positions === "sequence"
    ? new HighWaterMark(base)
    : new CommitOrder(base);

const refOf = (stream: string, options: ScopeOptions = {}): { stream: string; tenant: string } => {
  const { tenant = "" } = options;
  checkStream(stream);
  checkTenant(tenant);
  return { stream, tenant };
};

/** Runs in a transaction, or in a savepoint of the caller's transaction. */
const inTransaction = async <T>(
  base: StoreBase,
  { tx }: ScopeOptions = {},
  run: (tx: Transaction) => Promise<T>,
): Promise<T> => (tx === undefined ? await base.transaction(run) : await tx.transaction(run));
