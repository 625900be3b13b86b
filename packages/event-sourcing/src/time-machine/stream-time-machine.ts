import type { Logger, StandardSchema } from "@framework/core";
import { type Database, openDatabase, type Row, sql } from "@framework/database";
import { type TableClock, tableClock } from "@framework/durable/testing";
import type { AnyEventType } from "../events/event-type.ts";
import { fromPosition } from "../events/position.ts";
import type { StoredEvent } from "../events/stored-event.ts";
import { type OpenEventStore, openEventStore } from "../open-event-store.ts";
import type { Projection } from "../projections/definition/projection.ts";

/** What a time machine is made of. */
export interface StreamTimeMachineOptions {
  /** The events of one stream, oldest first, at most 10,000. */
  readonly events: readonly StoredEvent[];
  /** Types of the events, as in the configuration of the store. @default every type */
  readonly types?: readonly AnyEventType[];
  /** Views that the events make. @default none */
  readonly projections?: readonly Projection[];
  /** Creates the tables that projections without tables of their own write to, in the empty database. @default none */
  readonly prepare?: ((db: Database) => Promise<unknown>) | undefined;
}

/** How far to go. */
export interface RunOptions {
  /** Number of events that the stream has then. @default all */
  readonly to?: number;
  /** Number of the event, from 1, after which the worker that keeps the views is lost. @default it is not lost */
  readonly crashAfter?: number;
}

/** Where a time machine is. */
export interface StreamMoment {
  /** Events in the stream now. */
  readonly version: number;
  /** Events that can be there. */
  readonly length: number;
  /** Events that the slowest view has read. */
  readonly read: number;
}

/** A table of a view. */
export interface ViewTable {
  /** Name as the projection gives it, without the version. */
  readonly name: string;
  /** The first 100 rows. */
  readonly rows: readonly Row[];
}

/** One stream with the views that it makes, in a store of its own in memory, whose time a developer decides. */
export interface StreamTimeMachine extends AsyncDisposable {
  /** Lets events happen again, each at its own time. Views follow, unless their worker is lost; the next run has another one, which resumes. Returns whether it was lost. */
  run(options?: RunOptions): Promise<boolean>;
  /** Goes to the time of a version, from 0: onwards, or back by beginning again. */
  goTo(version: number): Promise<void>;
  /** Begins again: no event, and empty views. */
  replay(): Promise<void>;
  /** Where it is. */
  now(): Promise<StreamMoment>;
  /** The events in the stream, oldest first. */
  events(): readonly StoredEvent[];
  /** The tables of the views as they are now. */
  views(): Promise<readonly ViewTable[]>;
}

const MAX_EVENTS = 10_000;
const MAX_ROWS = 100;
const PATIENCE_MS = 60_000;

/**
 * Creates a time machine for a stream: any version of it, and of the views that it makes, can be looked at; the worker that keeps the views can be lost after any event.
 *
 * The store that the events come from is not used.
 *
 * @example
 * const events = [];
 * for await (const event of app.eventStore.read("loan-7")) events.push(event);
 * await using machine = await streamTimeMachine({ events, projections: [shelf] });
 * await machine.goTo(1);
 * console.log(await machine.views());
 * @throws RangeError beyond 10,000 events; errors of the projections
 */
export const streamTimeMachine = async (given: StreamTimeMachineOptions): Promise<StreamTimeMachine> => {
  const options = unchecked(given);
  const { events } = options;
  if (events.length > MAX_EVENTS) throw new RangeError(`the stream has more than ${MAX_EVENTS} events`);
  let place = await openPlace(options);
  const append = async (event: StoredEvent): Promise<void> => {
    const { type, data, id, metadata, stream, tenant, recordedAt } = event;
    await place.time.advance(recordedAt.getTime() - (await place.time.read()));
    const parts = place.version.toString(); // an upcaster may have made several events of one id
    await place.store.append(stream, { type, data, id: `${id} ${parts}`, metadata }, { tenant });
    place.version++;
  };
  const run = async ({ to = events.length, crashAfter = Infinity }: RunOptions = {}): Promise<boolean> => {
    const lostAt = Math.min(to, Math.max(crashAfter, place.version));
    for (const event of events.slice(place.version, lostAt)) await append(event);
    await follow(place, options); // a worker that was lost before is replaced
    for (const event of events.slice(lostAt, to)) await append(event);
    return lostAt < to;
  };
  const replay = async (): Promise<void> => {
    await close(place);
    place = await openPlace(options);
  };
  return {
    run,
    replay,
    async goTo(version) {
      if (version < place.version) await replay();
      await run({ to: version });
    },
    now: async () => ({ version: place.version, length: events.length, read: await readBy(place) }),
    events: () => events.slice(0, place.version),
    views: () => tablesOf(place.db, options.projections ?? []),
    [Symbol.asyncDispose]: () => close(place),
  };
};

/** An empty store, and how many events it has got. */
interface Place {
  readonly db: Database;
  readonly time: TableClock;
  readonly store: OpenEventStore;
  version: number;
}

const quiet: Logger = { info() {}, warn() {}, error() {} };

const openPlace = async ({
  prepare,
  types = [],
  projections = [],
}: StreamTimeMachineOptions): Promise<Place> => {
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
  { db, time }: Pick<Place, "db" | "time">,
  types: readonly AnyEventType[],
  projections: readonly Projection[],
): Promise<OpenEventStore> =>
  openEventStore({ events: types, projections, enableSnapshots: false }, { db, now: time.now, log: quiet });

/** Stored data was checked when it was appended, and may lack what was forgotten since. */
const unchecked = ({
  types = [],
  projections = [],
  ...options
}: StreamTimeMachineOptions): StreamTimeMachineOptions => {
  const plain = new Map(
    types.map((type) => {
      const schema = type.schema === null ? null : anything;
      return [type, { ...type, schema, personal: null }] as const;
    }),
  );
  const plainOf = (type: AnyEventType): AnyEventType => plain.get(type) ?? type;
  return {
    ...options,
    types: types.map(plainOf),
    projections: projections.map((each) => ({ ...each, types: each.types?.map(plainOf) })),
  };
};

const anything: StandardSchema<unknown, unknown> = {
  "~standard": { version: 1, vendor: "framework", validate: (value) => ({ value }) },
};

/** Has a new worker bring all views up to date. */
const follow = async (
  { db, time, store }: Place,
  { types = [], projections = [] }: StreamTimeMachineOptions,
): Promise<void> => {
  if (projections.every(({ inline }) => inline)) return;
  await using worker = await openWorker({ db, time }, types, projections);
  const isDone = await worker.waitFor(await store.position(), { timeoutMs: PATIENCE_MS });
  if (!isDone) throw new Error("the views did not follow within a minute");
};

/** Positions of the store in memory count its events from 1. */
const readBy = async ({ store, version }: Place): Promise<number> => {
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

const close = async ({ db, store }: Place): Promise<void> => {
  await store.close();
  await db.close();
};
