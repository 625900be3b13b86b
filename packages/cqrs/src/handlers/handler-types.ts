import type { Awaitable, DependenciesOf, HttpMiddleware, Injections, Invocation } from "@framework/core";
import type { Queries, Transaction } from "@framework/database";
import type { HandlerInputOf, HandlerResultOf } from "../definitions/command.ts";
import type { AnyOperation } from "../definitions/operation.ts";
import type { AnyQuery } from "../definitions/query.ts";
import type { CommandEvents } from "../events/command-events.ts";

/** Second argument of the handler of a command. */
export interface CommandContext {
  /** Unique id of the call: the causation of its events. */
  readonly id: string;
  /** The transaction of the command. All changes are made in it: it is committed when the handler returns, and rolled back when the command fails. */
  readonly tx: Transaction;
  /** The event store in that transaction. @throws CQRS_NO_EVENT_STORE in an app without one */
  readonly events: CommandEvents;
  /** Aborts when the time limit is over or the caller gave up; the transaction is rolled back then, whatever the handler does. */
  readonly signal: AbortSignal;
  /** The work of the app that this is: its headers, and the context with the principal. */
  readonly invocation: Invocation;
  /** Tenant of the call; empty without tenants. */
  readonly tenant: string;
  /** Idempotency key of the call, `null` without one. */
  readonly idempotencyKey: string | null;
  /** Number of the attempt, from 1: after a conflict the handler runs again, with fresh state. */
  readonly attempt: number;
}

/** Second argument of the handler of a query. */
export interface QueryContext {
  /** The database; statements are cancelled when the signal aborts. */
  readonly db: Queries;
  /** Aborts when the time limit is over, or no caller waits for the result any more. */
  readonly signal: AbortSignal;
  /** The work of the app that this is. Several callers may share it: use nothing of it that differs between calls of one caller. */
  readonly invocation: Invocation;
  /** Tenant of the call; empty without tenants. */
  readonly tenant: string;
}

/** Options of the registration of a handler. */
export interface HandleOptions<I extends Injections | undefined> {
  /** Dependencies, passed to the handler as its last argument. @default none */
  readonly inject?: I;
  /** Middleware around the HTTP endpoint, such as an authentication, in the order given; outside the guards. @default none */
  readonly use?: readonly HttpMiddleware[];
}

/** The handler of a command or query: returns the result, before the schema of the result is applied. */
export type OperationHandler<O extends AnyOperation, I extends Injections | undefined = undefined> = [
  NonNullable<I>,
] extends [never]
  ? (input: HandlerInputOf<O>, context: ContextOf<O>) => Awaitable<HandlerResultOf<O>>
  : (
      input: HandlerInputOf<O>,
      context: ContextOf<O>,
      dependencies: DependenciesOf<I>,
    ) => Awaitable<HandlerResultOf<O>>;

type ContextOf<O extends AnyOperation> = O extends AnyQuery ? QueryContext : CommandContext;

/** A handler as the registry keeps it. */
export type AnyHandler = (input: unknown, context: never, dependencies?: unknown) => unknown;

/** A command or query with its handler. */
export interface Handled<O extends AnyOperation = AnyOperation> {
  readonly operation: O;
  readonly handler: AnyHandler;
  readonly inject: Injections | undefined;
  /** Middleware around its endpoint. */
  readonly use: readonly HttpMiddleware[];
}
