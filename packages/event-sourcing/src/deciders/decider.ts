import { createHash } from "node:crypto";
import { isPromise } from "@framework/core/feature";
import { eventError, shownValue } from "../errors/event-error.ts";
import type { AnyEventType, EventOf, NewEventOf } from "../events/event-type.ts";
import type { StoredEvent } from "../events/stored-event.ts";
import { checkName } from "../names/check-name.ts";
import type { Fold } from "../snapshots/fold.ts";

/** Definition of a decider. */
export interface DeciderOptions<State, Command, Types extends AnyEventType> {
  /** Name, also the category of its streams: `loan` for `loan-42`. Must not contain a dash. */
  readonly name: string;
  /** Raise it when `evolve` changes, to invalidate earlier snapshots. @default 1 */
  readonly version?: number;
  /** Event types that `decide` returns and `evolve` gets. The stream may also contain other types of the store; they are skipped. */
  readonly events: readonly Types[];
  /** The state before the first event. */
  readonly initialState: () => State;
  /** Returns the events of a command, which may be none, or throws to reject it. Must be pure: it may run more than once. */
  readonly decide: (command: Command, state: State) => NewEventOf<Types> | readonly NewEventOf<Types>[];
  /** Returns the state after an event. Must be pure: it must not change `state`. */
  readonly evolve: (state: State, event: EventOf<Types>) => State;
  /** Converts a state that is not JSON, such as a `Map`, to JSON for snapshots. @default the state itself */
  readonly toSnapshot?: (state: State) => unknown;
  /** The inverse of `toSnapshot`. @default the JSON itself */
  readonly fromSnapshot?: (json: never) => State;
}

/** Decides on commands, given the state of a stream. Created by `decider`. */
export interface Decider<State, Command, Types extends AnyEventType = AnyEventType> {
  /** Name, part of the key of snapshots. */
  readonly name: string;
  /** Version of `evolve`; snapshots of another version are ignored. */
  readonly version: number;
  /** Event types of its streams. */
  readonly events: readonly Types[];
  /** Returns the events of a command, or throws to reject it. */
  readonly decide: (command: Command, state: State) => NewEventOf<Types> | readonly NewEventOf<Types>[];
  /** Computes the state from events. */
  readonly fold: Fold<State>;
}

/**
 * Defines a decider: `evolve` computes a state from the events of one stream, and `decide` turns a command and that state into new events.
 *
 * @example
 * const Loan = decider({
 *   name: "loan",
 *   events: [BookBorrowed, BookReturned],
 *   initialState: () => ({ borrowed: false }),
 *   decide: (command: "borrow" | "return", { borrowed }) => (command === "borrow" && !borrowed ? BookBorrowed({}) : []),
 *   evolve: (state, event) => ({ borrowed: event.type === "BookBorrowed" }),
 * });
 * @throws EVENTS_BAD_DECIDER, EVENTS_BAD_NAME
 */
export const decider = <State, Command, Types extends AnyEventType>(
  options: DeciderOptions<State, Command, Types>,
): Decider<State, Command, Types> => {
  const { name, version = 1, events, decide } = options;
  checkName("name of a decider", name);
  if (name.includes("-"))
    throw eventError(
      "EVENTS_BAD_DECIDER",
      `the name of decider ${name} must not have a dash, which ends the category of a stream`,
    );
  if (!Number.isSafeInteger(version) || version < 1 || version > 1_000_000)
    throw eventError(
      "EVENTS_BAD_DECIDER",
      `the version of decider ${name} must be an integer from 1 to 1000000`,
    );
  if ((options.toSnapshot === undefined) !== (options.fromSnapshot === undefined))
    throw eventError(
      "EVENTS_BAD_DECIDER",
      `decider ${name} has only one of toSnapshot and fromSnapshot; give both or none`,
    );
  return Object.freeze({ name, version, events, decide, fold: foldOf(options, version) });
};

const foldOf = <State, Command, Types extends AnyEventType>(
  options: DeciderOptions<State, Command, Types>,
  version: number,
): Fold<State> => {
  const { name, events, initialState, evolve, toSnapshot = same, fromSnapshot = same } = options;
  const names = new Set<string>(events.map(({ type }) => type));
  const types = events.map((each) => `${each.type}@${each.version}`).toSorted();
  return {
    name,
    version,
    hash: createHash("sha256")
      .update(JSON.stringify([name, version, types]))
      .digest("base64"),
    initialState: () => checkState(name, "initialState", initialState()),
    evolve: (state, event) =>
      names.has(event.type)
        ? checkState(name, "evolve", evolve(state, event as unknown as EventOf<Types>))
        : state,
    toSnapshot,
    fromSnapshot: (json) => checkState(name, "fromSnapshot", fromSnapshot(json as never)), // gets what toSnapshot returned
  };
};

/** @throws EVENTS_BAD_DECIDER for a promise of an untyped program: later events would be applied to the promise */
const checkState = <State>(name: string, source: string, state: State): State => {
  if (!isPromise(state)) return state;
  state.then(undefined, () => {}); // a rejection without a listener would end the process
  throw eventError(
    "EVENTS_BAD_DECIDER",
    `\`${source}\` of decider ${name} returned a promise; it must return the state`,
  );
};

const same = <T>(value: T): T => value;

/** Returns the events of a decision as an array. @throws EVENTS_BAD_APPEND for a decision of an untyped program: a promise, or no object, as without `return` */
export const toEventArray = <Types extends AnyEventType>(
  events: NewEventOf<Types> | readonly NewEventOf<Types>[],
): readonly NewEventOf<Types>[] => {
  const decision: unknown = events;
  if (isPromise(decision)) decision.then(undefined, () => {}); // a rejection without a listener would end the process
  else if (typeof decision === "object" && decision !== null)
    return Array.isArray(events) ? events : [events as NewEventOf<Types>];
  throw eventError(
    "EVENTS_BAD_APPEND",
    `\`decide\` returned ${isPromise(decision) ? "a promise" : shownValue(decision)}; it must return an event or a list of events, which may be empty`,
  );
};

/** @throws EVENTS_UNKNOWN_TYPE for an event of an unknown type: newer code wrote it, and a state without it would be wrong */
export const checkKnown = (isKnown: boolean, { type, stream }: StoredEvent): void => {
  if (isKnown) return;
  throw eventError(
    "EVENTS_UNKNOWN_TYPE",
    `stream ${stream} has an event of type ${type}, which is not in the option \`events\``,
  );
};
