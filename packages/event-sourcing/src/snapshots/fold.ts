import type { StoredEvent } from "../events/stored-event.ts";

/** Computes a state from the events of a stream, as a left fold. */
export interface Fold<State> {
  /** Name, unique in the store. */
  readonly name: string;
  /** Version of `evolve`. */
  readonly version: number;
  /** Hash of name, version and event types: a snapshot with another hash is not used. */
  readonly hash: string;
  readonly initialState: () => State;
  /** Returns the state after an event. */
  readonly evolve: (state: State, event: StoredEvent) => State;
  /** Converts the state to JSON for a snapshot. */
  readonly toSnapshot: (state: State) => unknown;
  readonly fromSnapshot: (json: unknown) => State;
}

/** A state at a version of a stream. */
export interface FoldedState<State> {
  readonly state: State;
  /** Version of the last event in it; 0 without events. */
  readonly version: number;
  /** Id of that event. */
  readonly lastEvent: string;
  /** Ids of the keys of personal data in it. */
  readonly keys: ReadonlySet<string>;
  /** Version of the snapshot that it was loaded from; 0 if there was none. */
  readonly snapshotVersion: number;
}
