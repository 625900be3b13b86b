import assert from "node:assert/strict";
import type { ConfigInput } from "@framework/core/feature";
import type { Database } from "@framework/database";
import type { EventSourcingConfig } from "../event-sourcing-config.ts";
import type { EventStore } from "../event-store.ts";
import type { StoredEvent } from "../events/stored-event.ts";
import type { OpenEventStore } from "../open-event-store.ts";

/** An empty database, in which the contract tests open event stores. */
export interface EventStoreFixture extends AsyncDisposable {
  /** Opens a store on the database. Each store acts as a separate process; the fixture closes it. */
  open(config?: ConfigInput<EventSourcingConfig>): Promise<OpenEventStore>;
  /** The database, for transactions of the caller. */
  readonly db: Database;
}

/** Opens two stores, like two processes; the returned function alternates between them by even and odd number. */
export const openTwo = async (
  { open }: EventStoreFixture,
  config?: ConfigInput<EventSourcingConfig>,
): Promise<(number: number) => OpenEventStore> => {
  const [even, odd] = [await open(config), await open(config)];
  return (number) => (number % 2 === 0 ? even : odd);
};

/** Reads all events of a stream. */
export const eventsOf = (store: EventStore, stream: string): Promise<StoredEvent[]> =>
  collect<StoredEvent>(store.read(stream));

/** Collects the items of an iterable into an array. */
export const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

/** Asserts that two values have the same JSON: under a test runner, arrays may come from several realms. */
export const same = (actual: unknown, expected: unknown, message?: string): void => {
  const [one, other] = [actual, expected].map((value): unknown => JSON.parse(JSON.stringify(value)));
  if (message === undefined) assert.deepEqual(one, other);
  else assert.deepEqual(one, other, message);
};

/** Reads all events of the store in batches. */
export const allEvents = async (store: EventStore, limit = 3): Promise<StoredEvent[]> => {
  const all: StoredEvent[] = [];
  for (let after: string | undefined; ;) {
    const { events, position, state } = await store.readAll({ after, limit });
    all.push(...events);
    after = position;
    if (state === "end") return all;
  }
};

/** Returns the error of a promise that must reject. */
export const errorOf = async (promise: Promise<unknown>): Promise<Error & { readonly code: string }> => {
  try {
    await promise;
  } catch (error) {
    return error as Error & { readonly code: string };
  }
  throw new Error("expected a rejection");
};

/** Creates an event for a store without types. */
export const plain = (type: string, id?: string): { type: string; data: object; id?: string } => ({
  type,
  data: {},
  ...(id !== undefined && { id }),
});
