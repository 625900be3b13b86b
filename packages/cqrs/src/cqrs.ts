import type { Injections } from "@framework/core";
import { type AddsRouteOptions, type ConfigInput, type Feature, markHandled } from "@framework/core/feature";
import type { DatabaseMethods } from "@framework/database";
import type { DurableMethods } from "@framework/durable";
import { kernelOf } from "@framework/durable/feature";
import type { CommandResult, EnqueuedCommand, EnqueueOptions, ExecuteOptions } from "./commands/commands.ts";
import { CqrsApp } from "./cqrs-app.ts";
import type { CqrsConfig } from "./cqrs-config.ts";
import type { AnyCommand, InputOf, ResultOf } from "./definitions/command.ts";
import type { AnyOperation } from "./definitions/operation.ts";
import type { AnyQuery, QueryResult } from "./definitions/query.ts";
import type { OtherFeatures } from "./events/event-store-of.ts";
import type { AnyHandler, HandleOptions, OperationHandler } from "./handlers/handler-types.ts";
import type { FailureObserver } from "./insight/observers.ts";
import type { CommandStatus } from "./queued/command-status.ts";
import type { CqrsRouteOptions } from "./routes/idempotent-routes.ts";
import type { QueryCallOptions } from "./queries/queries.ts";

/** The methods that the feature adds to an app. */
export interface CqrsMethods extends AddsRouteOptions<CqrsRouteOptions> {
  /**
   * Enables commands and queries on the app's database.
   *
   * @throws CORE_BAD_CONFIG, CQRS_NO_HANDLER, CQRS_DUPLICATE_HANDLER, CQRS_BAD_OPERATION, CQRS_NO_CACHE, CQRS_NO_EVENT_STORE or CQRS_OTHER_DATABASE at start,
   * together with all other problems
   */
  enableCqrs(config?: ConfigInput<CqrsConfig>): this;
  /** Commands and queries of the app. */
  readonly cqrs: Cqrs;
}

/** Commands and queries of an app. */
export interface Cqrs {
  /**
   * Registers the handler of a command or query, and its HTTP endpoint if it has one. Problems are reported at start.
   *
   * The handler of a command runs in a transaction, and is retried after a conflict: it must have no side effects outside the transaction.
   */
  handle<O extends AnyOperation>(operation: O, handler: OperationHandler<O>): this;
  handle<O extends AnyOperation, const I extends Injections | undefined = undefined>(
    operation: O,
    options: HandleOptions<I>,
    handler: OperationHandler<O, I>,
  ): this;
  /**
   * Executes a command atomically.
   *
   * @throws ValidationError 422; errors of a guard or the handler; CommandTimeoutError 504; HttpError 400, 409 or 422 if the idempotency key is
   * missing, malformed, refused, in use or was used for another input, or its result was not kept; HttpError 503 (CQRS_BUSY,
   * CQRS_OUTCOME_UNKNOWN); CQRS_NO_HANDLER, CQRS_BAD_OUTPUT, CQRS_NOT_ENABLED
   */
  execute<C extends AnyCommand>(
    command: C,
    input: InputOf<C>,
    options?: ExecuteOptions,
  ): Promise<CommandResult<ResultOf<C>>>;
  /**
   * Adds a command with `mode: "queued"` to the queue. A process of the app executes it later; it takes effect exactly once, even after a crash. Guards and input are checked at once.
   *
   * @throws as `execute`; HttpError 413 for an input above 1,048,000 bytes as JSON; CQRS_BAD_INPUT, CQRS_NOT_QUEUED
   */
  enqueue<C extends AnyCommand>(
    command: C,
    input: InputOf<C>,
    options?: EnqueueOptions,
  ): Promise<EnqueuedCommand>;
  /**
   * Returns the status of a queued command; `null` if the id is unknown, or the command finished more than `keepKeysSecs` ago.
   *
   * @throws CQRS_NOT_ENABLED; CQRS_NOT_QUEUED if no command with a handler is queued
   */
  status(id: string): Promise<CommandStatus | null>;
  /**
   * Runs a query. Concurrent calls of one caller with equal input may share a result, so treat it as read-only.
   *
   * @throws ValidationError 422; errors of a guard or the handler; QueryTimeoutError 504; HttpError 503 (CQRS_NOT_FRESH, CQRS_BUSY); CQRS_NO_HANDLER,
   * CQRS_BAD_OUTPUT, CQRS_NOT_ENABLED
   */
  query<Q extends AnyQuery>(query: Q, input: InputOf<Q>, options?: QueryCallOptions): Promise<QueryResult<Q>>;
  /** Calls `observer` after every failure of a command or query, except of a call that is refused because 10,000 are running. Returns a function that removes it. */
  onError(observer: FailureObserver): () => void;
}

/**
 * Commands and queries: one handler each, typed input and result, transactions with enforced time limits, idempotency keys, HTTP endpoints.
 *
 * @example
 * const app = new (App.with(database, durable, cqrs))().enableDatabase().enableCqrs();
 * app.cqrs.handle(PlaceOrder, async ({ orderId, book }, { tx }) => {
 *   await tx.execute`INSERT INTO orders (id, book) VALUES (${orderId}, ${book})`;
 *   return { total: 12 };
 * });
 * const { value } = await app.cqrs.execute(PlaceOrder, { orderId: "7", book: "Emma" }, { idempotencyKey: "k-1" });
 */
export const cqrs: Feature<CqrsMethods, DatabaseMethods & DurableMethods> = {
  name: "cqrs",
  requires: { members: ["db", "durable"], example: "App.with(database, durable, cqrs)" },
  install: (host, needs) => {
    const app = new CqrsApp(host, kernelOf(needs), needs as OtherFeatures); // at runtime it has the methods of all earlier features
    const methods = cqrsOf(app);
    return {
      enableCqrs(config) {
        app.enable(config);
        return this;
      },
      get cqrs() {
        return methods;
      },
    };
  },
};

const cqrsOf = (app: CqrsApp): Cqrs => ({
  handle(operation: AnyOperation, first: unknown, second?: unknown) {
    const [options, handler] = second === undefined ? [{}, first] : [first, second];
    app.add(operation, handler as AnyHandler, options as HandleOptions<Injections | undefined>);
    return this;
  },
  execute: (command, input, options = {}) => markHandled(execute(app, command, input, options)),
  enqueue: (command, input, options = {}) => markHandled(enqueue(app, command, input, options)),
  status: (id) => markHandled(status(app, id)),
  query: (query, input, options = {}) => markHandled(runQuery(app, query, input, options)),
  onError: (observer) => app.observers.add(observer),
});

const execute: <C extends AnyCommand>(
  app: CqrsApp,
  command: C,
  input: InputOf<C>,
  options: ExecuteOptions,
) => Promise<CommandResult<ResultOf<C>>> = async (app, command, input, options) =>
  await app.running.commands.execute(command, input, options);

const runQuery: <Q extends AnyQuery>(
  app: CqrsApp,
  query: Q,
  input: InputOf<Q>,
  options: QueryCallOptions,
) => Promise<QueryResult<Q>> = async (app, query, input, options) =>
  await app.running.queries.run(query, input, options);

const enqueue: <C extends AnyCommand>(
  app: CqrsApp,
  command: C,
  input: InputOf<C>,
  options: EnqueueOptions,
) => Promise<EnqueuedCommand> = async (app, command, input, options) =>
  await app.running.commands.enqueue(command, input, options);

const status = async (app: CqrsApp, id: string): Promise<CommandStatus | null> => {
  void app.running;
  return (await app.commandQueue.find(id))?.status ?? null;
};
