import type { StoredEvent } from "../events/stored-event.ts";

/** A state made of the events of a stream, one after the other. */
export interface Fold<State> {
  /** Name, unique in the store. */
  readonly name: string;
  /** Raised when states are made otherwise. */
  readonly version: number;
  /** Identifies the fold and the versions of its types: a snapshot with another hash is not used. */
  readonly hash: string;
  readonly initialState: () => State;
  /** @throws EVENTS_UNKNOWN_TYPE for an event of code that is newer */
  readonly evolve: (state: State, event: StoredEvent) => State;
  /** The state as JSON; `null` when it has none, so that no snapshots are made. */
  readonly toSnapshot: (state: State) => unknown;
  readonly fromSnapshot: (json: unknown) => State;
}

/** A state with the version that it was made of. */
export interface Folded<State> {
  readonly state: State;
  /** Version of the last event in it; 0 without events. */
  readonly version: number;
  /** Id of that event. */
  readonly lastEvent: string;
  /** Ids of the keys of personal data in it. */
  readonly keys: ReadonlySet<string>;
  /** Version of the snapshot that it began with; 0 without. */
  readonly snapshotVersion: number;
}
