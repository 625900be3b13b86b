import { ConfigurationError, type Logger } from "@framework/core";
import { type Clock, type ConfigInput, failsafeLog, systemClock } from "@framework/core/feature";
import { type Database, openDatabase, type Statement } from "@framework/database";
import { createKernel, type Kernel } from "@framework/durable/feature";
import { archiveInLane } from "./archive/archive-lane.ts";
import type { StoreBase } from "./base/store-base.ts";
import { StoreCounts } from "./base/store-counts.ts";
import { buildStore, type EventStore, type StoreParts, type StreamStore } from "./event-store.ts";
import { configProblems, EventSourcingConfig, mismatchOf, ownUrl } from "./event-sourcing-config.ts";
import { type EventMetadata, noMetadata } from "./events/event-metadata.ts";
import { EventTypes } from "./events/event-types.ts";
import { InlineProjections } from "./projections/inline/inline-projections.ts";
import { projectionSource } from "./projections/parked/projection-source.ts";
import { ProjectionSet } from "./projections/projections.ts";
import { setUpStore } from "./store-setup.ts";
import { LagWatch } from "./projections/running/lag-watch.ts";
import { Subscriptions } from "./subscriptions/subscriptions.ts";
import { eventTables, TABLE_SET } from "./tables/event-tables.ts";

/** Wake-up channel of the kernel, signalled after events were committed. */
export const EVENTS_CHANNEL = "events";

/** Dependencies of a store. */
export interface StoreSources {
  readonly kernel: Kernel;
  readonly log: () => Logger;
  readonly currentMetadata: () => EventMetadata;
  /** Timers. @default the system clock */
  readonly clock?: Clock;
}

/** The components of a store, with its projections and subscriptions. */
export interface WholeStoreParts extends StoreParts {
  readonly store: EventStore;
  readonly projections: ProjectionSet;
  readonly subscriptions: Subscriptions;
  readonly lag: LagWatch;
}

/** Builds a store on a kernel, and adds its tables to the kernel. */
export const storeOn = (
  { kernel, log, currentMetadata, clock = systemClock }: StoreSources,
  { events, projections, ...settings }: EventSourcingConfig,
): WholeStoreParts => {
  kernel.tables(TABLE_SET, eventTables);
  const base: StoreBase = {
    get db() {
      return kernel.db;
    },
    get now() {
      return kernel.now;
    },
    get log() {
      return log();
    },
    types: new EventTypes(events),
    settings,
    counts: new StoreCounts(),
    transaction: kernel.transaction,
    parked: kernel.parked,
    currentMetadata,
    get inline() {
      return inline;
    },
    onCommit: () => kernel.wakeUp.signal(EVENTS_CHANNEL),
  };
  kernel.parked.add(projectionSource(base, (tx) => kernel.wakeUp.signalAfter(tx, EVENTS_CHANNEL)));
  if (settings.eventTtlSecs > 0) archiveInLane(kernel, base, settings.eventTtlSecs, clock);
  const own = projections.filter((each) => each.inline);
  const inline = own.length === 0 ? null : new InlineProjections(base, own);
  const parts = buildStore(base);
  const { reader } = parts;
  const eventsChannel = EVENTS_CHANNEL;
  const set = new ProjectionSet({ kernel, base, reader, clock, eventsChannel, projections, types: events });
  const onEvents = (listener: () => void): (() => void) => kernel.wakeUp.on(EVENTS_CHANNEL, listener);
  const subscriptions = new Subscriptions({ base, reader, clock, random: Math.random, onEvents });
  const eventStoreMembers: Omit<EventStore, keyof StreamStore> = {
    projections: set,
    parked: kernel.parked,
    waitFor: (position, options) => set.waitFor(position, options),
    subscribe: (options, handler) => subscriptions.add(options, handler),
  };
  const store = Object.assign(parts.store, eventStoreMembers); // a copy would read the getter `db` before an app has its database
  const lag = new LagWatch(base, clock, projections);
  return { ...parts, store, projections: set, subscriptions, lag };
};

/** A store without an app; close it after use. */
export interface OpenEventStore extends EventStore, AsyncDisposable {
  /** Resolves when all snapshots due so far have been taken or dropped. */
  snapshotsTaken(): Promise<void>;
  /** Finishes background work and closes the database, unless the caller passed it. */
  close(): Promise<void>;
}

/** Dependencies of `openEventStore`, all optional. */
export interface OpenEventStoreOptions {
  /** Database of the store; closing the store leaves it open. @default opened from `connectionUrl` */
  readonly db?: Database;
  /** SQL expression for the current time in whole milliseconds. @default the database's clock */
  readonly now?: Statement;
  /** Logger. @default the console */
  readonly log?: Logger;
  /** Timers. @default the system clock */
  readonly clock?: Clock;
}

/**
 * Opens an event store without an app, for scripts, tests and tools; creates its tables.
 *
 * @example
 * await using store = await openEventStore({ connectionUrl: "sqlite://events.db", events: [BookBorrowed] });
 * @throws ConfigurationError for an invalid configuration; EVENTS_BAD_STORE, EVENTS_BAD_PROJECTION, EVENTS_LOCKS_HIDDEN; DatabaseUnavailableError
 */
export const openEventStore = async (
  config: ConfigInput<EventSourcingConfig> = {},
  { db: given, now, log: givenLog = console, clock = systemClock }: OpenEventStoreOptions = {},
): Promise<OpenEventStore> => {
  const log = failsafeLog(givenLog);
  const settings = EventSourcingConfig.of(config);
  const url = ownUrl(settings);
  const db = given ?? openDatabase(url === null ? {} : { url });
  const mismatch = mismatchOf(settings.storeType, db.dialect);
  const problems = [...configProblems(settings), ...(mismatch === null ? [] : [mismatch])];
  const kernel = createKernel(db, { log, clock, ...(now !== undefined && { now }) });
  const parts = storeOn({ kernel, log: () => log, currentMetadata: () => noMetadata, clock }, settings);
  const close = async (): Promise<void> => {
    await parts.subscriptions.stop();
    await parts.snapshots.close();
    await kernel.drain();
    await kernel.stop(); // projections finish their transactions
    if (given === undefined) await db.close();
  };
  try {
    if (problems.length > 0) throw new ConfigurationError(problems);
    await kernel.start();
    await setUpStore(parts.base);
    await parts.projections.start();
  } catch (error) {
    await close();
    throw error;
  }
  const snapshotsTaken = (): Promise<void> => parts.snapshots.idle();
  return { ...parts.store, snapshotsTaken, close, [Symbol.asyncDispose]: close };
};
