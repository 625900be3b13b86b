import type { Awaitable } from "@framework/core";
import type { AnyEventType, Decider, ExecuteResult } from "@framework/event-sourcing";
import type { CommandContext } from "./handler-types.ts";

/** Maps a command to a command of a decider. */
export interface DecideOptions<Input, State, Command, Types extends AnyEventType, Result> {
  /** Returns the id of the aggregate; the stream is `name-id`, with the decider's name. */
  readonly id: (input: Input) => string;
  /** Returns the decider's command. */
  readonly command: (input: Input, context: CommandContext) => Awaitable<Command>;
  /** Returns the result of the command. @default no result */
  readonly result?: (executed: ExecuteResult<State, Types>, input: Input) => Awaitable<Result>;
}

/**
 * Creates a handler from a decider: it loads the aggregate and appends the events of the decision in the transaction of the command. After a conflict it decides
 * again with the new state.
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
    return result === undefined ? (undefined as Result) : await result(executed, input); // without `result`, Result is void
  };
  decideHandlers.add(handler);
  return handler;
};

/** Handlers created by `decideWith`. */
const decideHandlers = new WeakSet<object>();

/** Whether a handler was created by `decideWith`, and so needs the event store. */
export const needsEventStore = (handler: unknown): boolean =>
  typeof handler === "function" && decideHandlers.has(handler);
