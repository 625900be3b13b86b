import { createHash } from "node:crypto";
import { mistake } from "../errors/event-error.ts";
import type { AnyEventType, EventOf, NewEventOf } from "../events/event-type.ts";
import type { StoredEvent } from "../events/stored-event.ts";
import { checkName } from "../names/check-name.ts";
import type { Fold } from "../snapshots/fold.ts";

/** What a program says of a decider. */
export interface DeciderOptions<State, Command, Types extends AnyEventType> {
  /** Name, and category of its streams: `loan` for `loan-42`. No dash. */
  readonly name: string;
  /** Raise it when `evolve` makes states otherwise: earlier snapshots are not used then. @default 1 */
  readonly version?: number;
  /** Types of its events. Other types that the store knows may be in the stream; `evolve` does not get them. */
  readonly events: readonly Types[];
  /** The state before the first event. */
  readonly initialState: () => State;
  /** Decides on a command: the events that happen, none, or an error that refuses it. A plain function, which may run more than once. */
  readonly decide: (command: Command, state: State) => NewEventOf<Types> | readonly NewEventOf<Types>[];
  /** The state after an event. A plain function; it must not change `state`. */
  readonly evolve: (state: State, event: EventOf<Types>) => State;
  /** Turns a state that is not JSON, such as a `Map`, into JSON for snapshots. @default the state itself */
  readonly toSnapshot?: (state: State) => unknown;
  /** The inverse of `toSnapshot`. @default the JSON itself */
  readonly fromSnapshot?: (json: never) => State;
}

/** Decides on commands, from a state made of events. Made by `decider`. */
export interface Decider<State, Command, Types extends AnyEventType = AnyEventType> {
  /** Name, part of the key of snapshots. */
  readonly name: string;
  /** Version of `evolve`; snapshots of another version are ignored. */
  readonly version: number;
  /** The types of events of its streams. */
  readonly events: readonly Types[];
  /** Returns the events that a command leads to, or throws to reject it. */
  readonly decide: (command: Command, state: State) => NewEventOf<Types> | readonly NewEventOf<Types>[];
  /** How the state is made. */
  readonly fold: Fold<State>;
}

/**
 * Defines how commands are decided: from a state, which the events of one stream make.
 *
 * @example
 * const Loan = decider({
 *   name: "loan",
 *   events: [BookBorrowed, BookReturned],
 *   initialState: () => ({ borrowed: false }),
 *   decide: (command: "borrow" | "return", { borrowed }) => (command === "borrow" && !borrowed ? BookBorrowed({}) : []),
 *   evolve: (state, event) => ({ borrowed: event.type === "BookBorrowed" }),
 * });
 * @throws EVENTS_BAD_DECIDER
 */
export const decider = <State, Command, Types extends AnyEventType>(
  options: DeciderOptions<State, Command, Types>,
): Decider<State, Command, Types> => {
  const { name, version = 1, events, decide } = options;
  checkName("name of a decider", name);
  if (name.includes("-"))
    throw mistake(
      "EVENTS_BAD_DECIDER",
      `the name of decider ${name} has a dash, which ends the category of a stream`,
    );
  if (!Number.isSafeInteger(version) || version < 1 || version > 1_000_000)
    throw mistake("EVENTS_BAD_DECIDER", `the version of decider ${name} is a whole number from 1 to 1000000`);
  if ((options.toSnapshot === undefined) !== (options.fromSnapshot === undefined))
    throw mistake(
      "EVENTS_BAD_DECIDER",
      `decider ${name} has one of toSnapshot and fromSnapshot; give both or none`,
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
    initialState,
    evolve: (state, event) =>
      names.has(event.type) ? evolve(state, event as unknown as EventOf<Types>) : state,
    toSnapshot,
    fromSnapshot: fromSnapshot as (json: unknown) => State, // gets what toSnapshot returned
  };
};

const same = <T>(value: T): T => value;

/** The events of a decision as a list. */
export const decided = <Types extends AnyEventType>(
  events: NewEventOf<Types> | readonly NewEventOf<Types>[],
): readonly NewEventOf<Types>[] => (Array.isArray(events) ? events : [events as NewEventOf<Types>]);

/** @throws EVENTS_UNKNOWN_TYPE for an event that the store does not know: newer code wrote it, and a state without it would be wrong */
export const checkKnown = (isKnown: boolean, { type, stream }: StoredEvent): void => {
  if (isKnown) return;
  throw mistake(
    "EVENTS_UNKNOWN_TYPE",
    `stream ${stream} has an event of type ${type}, which is not in the option \`events\``,
  );
};
