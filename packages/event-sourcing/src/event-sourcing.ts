import { FrameworkError, type Logger, type Problem } from "@framework/core";
import type { ConfigInput, Feature, Host } from "@framework/core/feature";
import { type Database, type DatabaseMethods, openDatabase } from "@framework/database";
import type { DurableMethods } from "@framework/durable";
import { createKernel, kernelOf, type OwnKernel } from "@framework/durable/feature";
import { trackCurrentWork } from "./current-work.ts";
import type { EventStore } from "./event-store.ts";
import {
  configProblems,
  EventSourcingConfig,
  isInMemory,
  mismatchOf,
  ownUrl,
} from "./event-sourcing-config.ts";
import { projectionPanel } from "./projections/projection-panel.ts";
import { storeOn, type WholeStoreParts } from "./open-event-store.ts";
import { publishMetrics } from "./store-metrics.ts";
import { setUpStore } from "./store-setup.ts";
import { streamMachinePanel } from "./time-machine/time-machine-panel.ts";

/** The methods that the feature adds to an app. */
export interface EventSourcing {
  /**
   * Opens an event store, `app.eventStore`, on the app's database or a separate one.
   *
   * @throws CORE_BAD_CONFIG, EVENTS_BAD_STORE, EVENTS_DUPLICATE_TYPE, EVENTS_BAD_PROJECTION at start, together with all other problems
   */
  enableEventSourcing(config?: ConfigInput<EventSourcingConfig>): this;
  /** The event store. @throws EVENTS_NOT_ENABLED before `enableEventSourcing` */
  readonly eventStore: EventStore;
}

/**
 * An event store for an app: streams with expected versions, a global order over all streams, snapshots, deciders.
 *
 * @example
 * const app = new (App.with(database, durable, eventSourcing))().enableDatabase().enableEventSourcing({ events: [BookBorrowed] });
 * app.post("/loans/{id}", ({ app, params }) => app.eventStore.append(`loan-${params.id}`, BookBorrowed({ member: "ann" })));
 */
export const eventSourcing: Feature<EventSourcing, DatabaseMethods & DurableMethods> = {
  name: "event-sourcing",
  requires: { members: ["db", "durable"], example: "App.with(database, durable, eventSourcing)" },
  install: (host, needs) => {
    let parts: WholeStoreParts | null = null;
    return {
      enableEventSourcing(config) {
        parts = enable(host, needs, host.configure(EventSourcingConfig, config));
        return this;
      },
      get eventStore() {
        if (parts !== null) return parts.store;
        throw new FrameworkError("EVENTS_NOT_ENABLED", "call enableEventSourcing() before using eventStore");
      },
    };
  },
};

const enable = (host: Host, needs: DurableMethods, config: EventSourcingConfig): WholeStoreParts => {
  for (const problem of configProblems(config)) host.problem(problem);
  const own = ownKernel(host, config);
  const kernel = own ?? kernelOf(needs).use("event-sourcing");
  const parts = storeOn(
    { kernel, log: () => logOf(host), currentMetadata: trackCurrentWork(host.insight) },
    config,
  );
  host.check(() => databaseMismatch(() => kernel.db, config));
  host.life.onStart({
    name: "event-sourcing",
    timeoutSecs: START_SECS,
    run: async ({ workers }, signal) => {
      if (workers > 1 && isInMemory(config)) throw inMemoryError(workers);
      await own?.start({ signal });
      await setUpStore(parts.base);
      await parts.projections.start();
      if (config.projections.length > 0) parts.lag.begin();
    },
  });
  host.life.onDrain((deadline) => parts.subscriptions.stop(deadline));
  if (own !== null) host.life.onDrain((deadline) => own.drain(deadline));
  const machines = streamMachinePanel(() => parts.store, config);
  host.insight.panel(machines.panel);
  host.life.onStop({
    name: "event-sourcing",
    run: async (_settings, signal) => {
      await parts.subscriptions.stop(signal); // a failed start is stopped without a drain
      await machines.close();
      parts.lag.end();
      await parts.snapshots.close(signal);
      await own?.stop();
      await own?.db.close();
    },
  });
  publishMetrics(host.insight, parts);
  if (config.projections.length > 0) {
    parts.lag.publish(host.insight);
    host.insight.panel(projectionPanel(parts.projections));
  }
  return parts;
};

const databaseMismatch = (db: () => Database, { storeType }: EventSourcingConfig): readonly Problem[] => {
  try {
    const mismatch = mismatchOf(storeType, db().dialect);
    return mismatch === null ? [] : [mismatch];
  } catch {
    return []; // no database: reported separately
  }
};

/** Start timeout. Long, because migrations wait for the migrations of other processes. */
const START_SECS = 3660;

/** Returns the kernel of a store with a separate database, whose tables are always created at start; `null` for the app's database. */
const ownKernel = (host: Host, config: EventSourcingConfig): OwnKernel | null => {
  const url = ownUrl(config);
  if (url === null) return null;
  const log: Logger = {
    info: (message, fields) => logOf(host).info(message, fields),
    warn: (message, fields) => logOf(host).warn(message, fields),
    error: (message, fields) => logOf(host).error(message, fields),
  };
  return createKernel(openDatabase({ url }), { log, host });
};

/** Returns the app's log. There is none before the start, as when `framework projections` operates the views of an app that is not started. */
const logOf = (host: Host): Logger => {
  try {
    return host.life.settings.log;
  } catch {
    return noLog;
  }
};

const noLog: Logger = { info() {}, warn() {}, error() {} };

const inMemoryError = (workers: number): FrameworkError =>
  new FrameworkError(
    "EVENTS_IN_MEMORY",
    `each of ${workers} workers would have its own events in memory; use a database, or run one worker`,
  );
