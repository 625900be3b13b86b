import { randomUUID } from "node:crypto";
import type { Logger, StandardSchema } from "@framework/core";
import { type Database, openDatabase, type Row, sql } from "@framework/database";
import { type TableClock, tableClock } from "@framework/durable/testing";
import { shownValue } from "../errors/event-error.ts";
import { type AnyEventType, eventType } from "../events/event-type.ts";
import { fromPosition } from "../events/position.ts";
import type { StoredEvent } from "../events/stored-event.ts";
import { type OpenEventStore, openEventStore } from "../open-event-store.ts";
import type { Projection } from "../projections/definition/projection.ts";

/** Options of `streamTimeMachine`. */
export interface StreamTimeMachineOptions {
  /** The events of one stream, oldest first, at most 10,000. */
  readonly events: readonly StoredEvent[];
  /** Event types, as in the configuration of the store. @default every type, unchecked */
  readonly types?: readonly AnyEventType[];
  /** Views to build from the events. @default none */
  readonly projections?: readonly Projection[];
  /** Creates tables that projections write to but do not declare, in the empty database. @default none */
  readonly prepare?: ((db: Database) => Promise<unknown>) | undefined;
}

/** Options of a run. */
export interface RunOptions {
  /** Number of events in the stream after the run. @default all */
  readonly to?: number;
  /** Number of the event, from 1, after which the worker that updates the views crashes. @default no crash */
  readonly crashAfter?: number;
}

/** Current position of a time machine. */
export interface StreamPosition {
  /** Number of events in the stream now. */
  readonly version: number;
  /** Number of all events of the stream. */
  readonly length: number;
  /** Number of events that the slowest view has read. */
  readonly read: number;
}

/** A table of a view. */
export interface ViewTable {
  /** Name in the definition of the projection, without the version. */
  readonly name: string;
  /** At most 100 rows, in no particular order. */
  readonly rows: readonly Row[];
}

/** A copy of one stream and its views, in a separate in-memory store, that moves to any point of its history. Concurrent calls run one at a time. */
export interface StreamTimeMachine extends AsyncDisposable {
  /**
   * Appends events again, each at its original time. Views follow unless their worker crashes; in the next run a new worker resumes. Resolves to whether the
   * worker crashed.
   *
   * @throws RangeError unless `to` is an integer from 0
   */
  run(options?: RunOptions): Promise<boolean>;
  /** Moves to a version, from 0: forwards, or backwards by a replay. @throws RangeError unless the version is an integer from 0 */
  goTo(version: number): Promise<void>;
  /** Resets to an empty stream and empty views. */
  replay(): Promise<void>;
  /** Returns the current position. */
  now(): Promise<StreamPosition>;
  /** Returns the events in the stream, oldest first. */
  events(): readonly StoredEvent[];
  /** Reads the current tables of the views. */
  views(): Promise<readonly ViewTable[]>;
}

const MAX_EVENTS = 10_000;
const MAX_ROWS = 100;
const FOLLOW_TIMEOUT_MS = 60_000;

/**
 * Creates a time machine for a stream: it shows the stream and its views at any version, and can simulate a crash of the projection worker after any event.
 *
 * It does not access the store that the events come from.
 *
 * @example
 * const events = [];
 * for await (const event of app.eventStore.read("loan-7")) events.push(event);
 * await using machine = await streamTimeMachine({ events, projections: [shelf] });
 * await machine.goTo(1);
 * console.log(await machine.views());
 * @throws RangeError beyond 10,000 events; errors of `prepare`
 */
export const streamTimeMachine = async (given: StreamTimeMachineOptions): Promise<StreamTimeMachine> => {
  const options = withoutValidation(given);
  const { events } = options;
  if (events.length > MAX_EVENTS) throw new RangeError(`the stream has more than ${MAX_EVENTS} events`);
  const appendable = withUniqueIds(events);
  let sandbox = await openSandbox(options);
  const append = async (event: StoredEvent): Promise<void> => {
    const { type, data, id, metadata, stream, tenant, recordedAt } = event;
    await sandbox.time.advance(recordedAt.getTime() - (await sandbox.time.read()));
    await sandbox.store.append(stream, { type, data, id, metadata }, { tenant });
    sandbox.version++;
  };
  let last: Promise<unknown> = Promise.resolve();
  /** Runs calls one at a time: two concurrent runs would append the same events. */
  const inOrder = <T>(call: () => Promise<T>): Promise<T> => {
    const result = last.then(call);
    last = result.catch(() => {}); // the caller gets the error
    return result;
  };
  const runTo = async (to: number, crashAfter = Infinity): Promise<boolean> => {
    const crashAt = Math.min(to, Math.max(crashAfter, sandbox.version));
    for (const event of appendable.slice(sandbox.version, crashAt)) await append(event);
    await catchUp(sandbox, options); // replaces a worker that crashed before
    for (const event of appendable.slice(crashAt, to)) await append(event);
    return crashAt < to;
  };
  const replay = async (): Promise<void> => {
    await close(sandbox);
    sandbox = await openSandbox(options);
  };
  const goTo = async (version: number): Promise<void> => {
    if (version < sandbox.version) await replay();
    await runTo(version);
  };
  return {
    async run({ to = events.length, crashAfter } = {}) {
      checkVersion("to", to);
      return await inOrder(() => runTo(to, crashAfter));
    },
    replay: () => inOrder(replay),
    async goTo(version) {
      checkVersion("version", version);
      await inOrder(() => goTo(version));
    },
    now: async () => ({ version: sandbox.version, length: events.length, read: await eventsRead(sandbox) }),
    events: () => events.slice(0, sandbox.version),
    views: () => tablesOf(sandbox.db, options.projections ?? []),
    [Symbol.asyncDispose]: () => inOrder(() => close(sandbox)),
  };
};

const checkVersion = (name: string, value: number): void => {
  if (!Number.isInteger(value) || value < 0)
    throw new RangeError(`\`${name}\` must be an integer from 0, not ${shownValue(value)}`);
};

/** An in-memory store, and the number of events appended to it. */
interface Sandbox {
  readonly db: Database;
  readonly time: TableClock;
  readonly store: OpenEventStore;
  version: number;
}

const quiet: Logger = { info() {}, warn() {}, error() {} };

const openSandbox = async ({
  prepare,
  types = [],
  projections = [],
}: StreamTimeMachineOptions): Promise<Sandbox> => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  try {
    await prepare?.(db);
    const time = await tableClock(db);
    // The first worker creates the tables of all views; inline ones follow every append.
    await (await openWorker({ db, time }, types, projections)).close();
    const inline = projections.filter((each) => each.inline);
    return { db, time, store: await openWorker({ db, time }, types, inline), version: 0 };
  } catch (error) {
    await db.close();
    throw error;
  }
};

const openWorker = (
  { db, time }: Pick<Sandbox, "db" | "time">,
  types: readonly AnyEventType[],
  projections: readonly Projection[],
): Promise<OpenEventStore> =>
  openEventStore({ events: types, projections, enableSnapshots: false }, { db, now: time.now, log: quiet });

/** Replaces repeated ids, because the store would take an append with a known id for a repetition. */
const withUniqueIds = (events: readonly StoredEvent[]): readonly StoredEvent[] => {
  const seen = new Set<string>();
  return events.map((event) => {
    if (seen.has(event.id)) return { ...event, id: randomUUID() };
    seen.add(event.id);
    return event;
  });
};

/**
 * Removes validation: stored data was validated by its append, and may lack fields that were forgotten since. Adds types that a later release no longer
 * lists: a store reads their events unchanged.
 */
const withoutValidation = ({
  types = [],
  projections = [],
  ...options
}: StreamTimeMachineOptions): StreamTimeMachineOptions => {
  const names = types.length === 0 ? [] : options.events.map(({ type }) => type);
  const unlisted = [...new Set(names)].filter((name) => types.every(({ type }) => type !== name));
  const plain = new Map(
    types.map((type) => {
      const schema = type.schema === null ? null : anything;
      return [type, { ...type, schema, personal: null }] as const;
    }),
  );
  const plainOf = (type: AnyEventType): AnyEventType => plain.get(type) ?? type;
  return {
    ...options,
    types: [...types.map(plainOf), ...unlisted.map((type) => eventType(type, anything))],
    projections: projections.map((each) => ({ ...each, types: each.types?.map(plainOf) })),
  };
};

const anything: StandardSchema<unknown, unknown> = {
  "~standard": { version: 1, vendor: "framework", validate: (value) => ({ value }) },
};

/** Brings all views up to date, with a new worker. */
const catchUp = async (
  { db, time, store }: Sandbox,
  { types = [], projections = [] }: StreamTimeMachineOptions,
): Promise<void> => {
  if (projections.every(({ inline }) => inline)) return;
  await using worker = await openWorker({ db, time }, types, projections);
  const isDone = await worker.waitFor(await store.position(), { timeoutMs: FOLLOW_TIMEOUT_MS });
  if (!isDone) throw new Error("the views did not catch up within a minute");
};

/** Returns the number of events read by all views: positions in the in-memory store count its events from 1. */
const eventsRead = async ({ store, version }: Sandbox): Promise<number> => {
  const positions = (await store.projections.status()).map(({ position }) => fromPosition(position));
  return Math.min(version, ...positions);
};

const tablesOf = (db: Database, projections: readonly Projection[]): Promise<readonly ViewTable[]> => {
  const names = new Set(projections.flatMap(({ tables }) => Object.keys(tables)));
  return Promise.all(
    [...names].map(async (name) => ({
      name,
      rows: await db.query<Row>`SELECT * FROM ${sql.identifier(name)} LIMIT ${MAX_ROWS}`,
    })),
  );
};

const close = async ({ db, store }: Sandbox): Promise<void> => {
  await store.close();
  await db.close();
};
