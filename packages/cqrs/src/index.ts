export { cqrs, type Cqrs, type CqrsMethods } from "./cqrs.ts";
export { CqrsConfig } from "./cqrs-config.ts";
export {
  type AnyCommand,
  command,
  type Command,
  type CommandOptions,
  type IdempotencyRule,
  type InputOf,
  type ResultOf,
} from "./definitions/command.ts";
export {
  type AnyQuery,
  query,
  type Query,
  type QueryCache,
  type QueryOptions,
  type QueryResult,
} from "./definitions/query.ts";
export type { CommandEndpoint, Endpoint, QueryEndpoint } from "./definitions/endpoint.ts";
export type { AnyOperation } from "./definitions/operation.ts";
export type {
  CommandContext,
  HandleOptions,
  OperationHandler,
  QueryContext,
} from "./handlers/handler-types.ts";
export type { CommandResult, EnqueuedCommand, EnqueueOptions, ExecuteOptions } from "./commands/commands.ts";
export type { SyncMode } from "./commands/command-run.ts";
export type { CallOptions } from "./pipeline/call-options.ts";
export type { CommandAggregate, CommandEvents } from "./events/command-events.ts";
export { type DecideOptions, decideWith } from "./handlers/decide-with.ts";
export type { QueryCallOptions } from "./queries/queries.ts";
export {
  CommandTimeoutError,
  QueryTimeoutError,
  type TimeoutOutcome,
  VersionConflictError,
} from "./failures/command-errors.ts";
export type { CqrsRouteOptions, RouteIdempotency } from "./routes/idempotent-routes.ts";
export { RequestTransaction } from "./routes/request-transaction.ts";
export type { FailureKind } from "./failures/failure-kind.ts";
export type { OperationFailure } from "./insight/operation-failure.ts";
export type { FailureObserver } from "./insight/observers.ts";
export { cqrsErrors } from "./error-codes.ts";
export type { CommandStatus, FailureBody } from "./queued/command-status.ts";
