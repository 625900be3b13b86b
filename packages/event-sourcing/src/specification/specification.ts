import assert from "node:assert/strict";
import { messageOf } from "@framework/core/feature";
import { toEventArray, type Decider } from "../deciders/decider.ts";
import type { AnyEventType, NewEventOf } from "../events/event-type.ts";
import { toPosition } from "../events/position.ts";
import type { NewEvent, StoredEvent } from "../events/stored-event.ts";

/** A decider with past events. */
export interface GivenEvents<State, Command, Types extends AnyEventType> {
  /** Decides on a command. */
  when(command: Command): Outcome<State, Types>;
  /** Checks the state after the past events. @throws AssertionError if it differs */
  thenState(state: State): void;
}

/** Assertions on the outcome of a command. */
export interface Outcome<State, Types extends AnyEventType> {
  /** Checks type and data of the events. @throws AssertionError unless the decider returned exactly these events. If it rejected the command, that error is the cause */
  thenEvents(...events: readonly NewEventOf<Types>[]): void;
  /** Checks the state after the events of the command. @throws AssertionError if it differs */
  thenState(state: State): void;
  /** Checks the rejection. @throws AssertionError unless the decider rejected the command with an error of this class, message or code */
  thenRefused(reason?: (new (...args: never) => Error) | RegExp | string): void;
}

/**
 * Starts a given-when-then test of a decider: past events, a command, and the expected events, state or rejection. Needs no store and no test runner. Schemas do
 * not run: pass data as it is stored.
 *
 * @example
 * given(Loan, BookBorrowed({ member: "ann" })).when({ kind: "return" }).thenEvents(BookReturned({}));
 */
export const given = <State, Command, Types extends AnyEventType>(
  decider: Decider<State, Command, Types>,
  ...events: readonly NewEventOf<Types>[]
): GivenEvents<State, Command, Types> => {
  const { fold } = decider;
  const past = events.map(asStored);
  const before = past.reduce(fold.evolve, fold.initialState());
  return {
    when: (command) => outcomeOf(decider, command, before, past.length),
    thenState: (state) => assert.deepEqual(before, state),
  };
};

const outcomeOf = <State, Command, Types extends AnyEventType>(
  decider: Decider<State, Command, Types>,
  command: Command,
  before: State,
  version: number,
): Outcome<State, Types> => {
  const { events, refusal } = decide(decider, command, before);
  const acceptedEvents = (): readonly NewEvent[] => {
    if (refusal === null) return events;
    const message = `the command was refused: ${refusal.message}`;
    throw Object.assign(new assert.AssertionError({ message }), { cause: refusal });
  };
  return {
    thenEvents: (...expected) => assert.deepEqual(acceptedEvents().map(comparable), expected.map(comparable)),
    thenState: (state) => {
      const stored = acceptedEvents().map((event, at) => asStored(event, version + at));
      assert.deepEqual(stored.reduce(decider.fold.evolve, before), state);
    },
    thenRefused: (reason) => {
      const types = events.map(({ type }) => type).join(", ") || "no events";
      assert.ok(refusal !== null, `the command was not refused; it returned ${types}`);
      if (reason !== undefined)
        assert.ok(isRefusedWith(refusal, reason), `refused with ${refusal.name}: ${refusal.message}`);
    },
  };
};

const decide = <State, Command, Types extends AnyEventType>(
  { decide: run }: Decider<State, Command, Types>,
  command: Command,
  before: State,
): { readonly events: readonly NewEvent[]; readonly refusal: Error | null } => {
  let decision: ReturnType<typeof run>;
  try {
    decision = run(command, before);
  } catch (error) {
    return { events: [], refusal: Error.isError(error) ? error : new Error(messageOf(error)) };
  }
  return { events: toEventArray(decision) as readonly NewEvent[], refusal: null };
};

const isRefusedWith = (
  refusal: Error,
  reason: (new (...args: never) => Error) | RegExp | string,
): boolean => {
  if (typeof reason === "function") return refusal instanceof reason;
  if (typeof reason === "string")
    return (refusal as { code?: unknown }).code === reason || refusal.message === reason;
  return refusal.message.search(reason) !== -1; // unlike `test`, independent of the state of an expression with the flag g
};

/** Compares events as stored: by type and JSON. */
const comparable = ({ type, data }: NewEvent): unknown => ({
  type,
  data: JSON.parse(JSON.stringify(data)) as unknown,
});

const asStored = ({ type, data, id, metadata = {} }: NewEvent, at: number): StoredEvent => ({
  type,
  data: JSON.parse(JSON.stringify(data)),
  id: id ?? `event-${at + 1}`,
  stream: "given-1",
  tenant: "",
  version: at + 1,
  position: toPosition(at + 1),
  metadata,
  recordedAt: new Date(at),
});
