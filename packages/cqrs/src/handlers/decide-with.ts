import type { Awaitable } from "@framework/core";
import type { AnyEventType, Decider, Executed } from "@framework/event-sourcing";
import type { CommandContext } from "./handler-types.ts";

/** How a command becomes one of a decider. */
export interface DecideOptions<Input, State, Command, Types extends AnyEventType, Result> {
  /** Returns the id of the aggregate: the stream is `name-id`, with the decider's name. */
  readonly id: (input: Input) => string;
  /** Returns the decider's command. */
  readonly command: (input: Input, context: CommandContext) => Awaitable<Command>;
  /** Returns the result of the command. @default no result */
  readonly result?: (executed: Executed<State, Types>, input: Input) => Awaitable<Result>;
}

/**
 * Returns a handler that lets a decider decide: it reads the aggregate, appends the events in the transaction of the command, and after a conflict decides
 * again with the new state.
 *
 * Five type parameters, one per inferred type.
 *
 * @example
 * app.cqrs.handle(Borrow, decideWith(Loan, {
 *   id: ({ book }) => book,
 *   command: ({ member }) => ({ borrow: member }),
 *   result: ({ state }) => ({ due: state.due }),
 * }));
 */
export const decideWith = <Input, State, const Command, Types extends AnyEventType, Result = void>(
  decider: Decider<State, Command, Types>,
  { id, command, result }: DecideOptions<Input, State, Command, Types, Result>,
): ((input: Input, context: CommandContext) => Promise<Result>) => {
  const handler = async (input: Input, context: CommandContext): Promise<Result> => {
    const aggregate = context.events.aggregate(decider, id(input));
    const executed = await aggregate.execute(await command(input, context));
    return result === undefined ? (undefined as Result) : await result(executed, input); // without `result`, it is void
  };
  deciding.add(handler);
  return handler;
};

/** The handlers made here. */
const deciding = new WeakSet<object>();

/** Whether a handler was made by `decideWith`, so that it needs the event store. */
export const needsEvents = (handler: unknown): boolean =>
  typeof handler === "function" && deciding.has(handler);
