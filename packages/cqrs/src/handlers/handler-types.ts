import type { Awaitable, DependenciesOf, HttpMiddleware, Injections, Invocation } from "@framework/core";
import type { Queries, Transaction } from "@framework/database";
import type { HandlerInputOf, HandlerResultOf } from "../definitions/command.ts";
import type { AnyOperation } from "../definitions/operation.ts";
import type { AnyQuery } from "../definitions/query.ts";
import type { CommandEvents } from "../events/command-events.ts";

/** Second argument of the handler of a command. */
export interface CommandContext {
  /** Unique id of the call, and causation id of its events. */
  readonly id: string;
  /** Transaction of the command, for all its changes. Committed when the handler returns a valid result, and rolled back if the command fails. */
  readonly tx: Transaction;
  /** Event store in that transaction. @throws CQRS_NO_EVENT_STORE in an app without one */
  readonly events: CommandEvents;
  /** Aborts at the time limit, or when the caller aborts. The transaction is then rolled back, even if the handler continues. */
  readonly signal: AbortSignal;
  /** Invocation of the command, with headers and context, such as the principal. */
  readonly invocation: Invocation;
  /** Tenant of the call; empty without tenants. */
  readonly tenant: string;
  /** Idempotency key of the call; `null` if there is none, and when a queued command is executed. */
  readonly idempotencyKey: string | null;
  /** Number of the attempt, from 1: after a conflict the handler is retried with fresh state. */
  readonly attempt: number;
}

/** Second argument of the handler of a query. */
export interface QueryContext {
  /** Database; its statements are cancelled when the signal aborts. */
  readonly db: Queries;
  /** Aborts at the time limit, or when no caller waits for the result any more. */
  readonly signal: AbortSignal;
  /** Invocation of the query. Several calls may share it: do not use data that differs between calls of one caller. */
  readonly invocation: Invocation;
  /** Tenant of the call; empty without tenants. */
  readonly tenant: string;
}

/** Options of `handle`. */
export interface HandleOptions<I extends Injections | undefined> {
  /** Dependencies, passed to the handler as its last argument. @default none */
  readonly inject?: I;
  /** Middleware around the HTTP endpoint, such as authentication, in the order given; it runs before the guards. @default none */
  readonly use?: readonly HttpMiddleware[];
}

/** The handler of a command or query. Its return value is validated by the result schema. */
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

/** A handler of any operation. */
export type AnyHandler = (input: unknown, context: never, dependencies?: unknown) => unknown;

/** A command or query with its handler. */
export interface HandledOperation<O extends AnyOperation = AnyOperation> {
  readonly operation: O;
  readonly handler: AnyHandler;
  readonly inject: Injections | undefined;
  /** Middleware around its endpoint. */
  readonly use: readonly HttpMiddleware[];
}
