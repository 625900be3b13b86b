import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const cqrsErrors: ErrorCatalogue = {
  CQRS_BAD_INPUT: {
    summary:
      "the input of a queued command, or of a call with an idempotency key, has a value that JSON cannot represent, such as a `Map` or a `bigint`",
    action: "pass JSON data; the message has the path",
  },
  CQRS_BAD_KEY: {
    status: 400,
    summary: "an idempotency key is malformed, sent twice, or sent to a command that does not accept one",
    action: "send 1 to 255 visible ASCII characters, such as a UUID",
  },
  CQRS_BAD_OPERATION: {
    summary: "the definition of a command, a query or its handler is malformed; the app does not start",
    action: "correct the definition; the message names the command or query and the error",
  },
  CQRS_BAD_OUTPUT: {
    summary:
      "a handler returned a value that does not match its result schema, or that must be stored but cannot be represented in JSON; nothing was changed",
    action: "correct the handler or the schema; the message lists the paths",
  },
  CQRS_BAD_RETURN: {
    summary:
      "500: `callerOf` or `tenantOf` of `CqrsConfig`, or `key` of a command, returned a promise or a value that is not a string; `tenantOf` and `key` may return `null`",
    action: "return the string itself, not a promise",
  },
  CQRS_BUSY: {
    status: 503,
    summary:
      "10,000 commands, queries or handlers with keys are running in this process, or 1,000 commands are pending for one key",
    action: "clients retry after a second; look for a handler that hangs",
  },
  CQRS_CONFLICT: {
    status: 409,
    summary: "`VersionConflictError`: the data was changed by another transaction in every attempt",
    action: "clients read again and retry",
  },
  CQRS_DUPLICATE_HANDLER: {
    summary:
      "a command or query has two handlers, or two definitions have the same name; the app does not start",
    action: "keep one, or rename one",
  },
  CQRS_KEY_MISSING: {
    status: 400,
    summary: "a required idempotency key is missing",
    action: "send `Idempotency-Key`, or pass `idempotencyKey`",
  },
  CQRS_KEY_REUSED: {
    status: 422,
    summary: "an idempotency key was used before for another input",
    action: "use a new key for each operation",
  },
  CQRS_KEY_RUNNING: {
    status: 409,
    summary: "a call with the same idempotency key is running",
    action: "clients retry after a second",
  },
  CQRS_NOT_ENABLED: {
    summary: "commands or queries were used without `enableCqrs`; with handlers, the app does not start",
    action: "call `enableCqrs`",
  },
  CQRS_NO_HANDLER: {
    summary: "a command or query has no handler; the operations in `operations` are checked at start",
    action: "add `app.cqrs.handle(…)`",
  },
  CQRS_NOT_FRESH: {
    status: 503,
    summary: "the projections of a query did not contain the events of its token within its time limit",
    action: "clients retry after a second; look at the lag of the projections",
  },
  CQRS_NOT_QUEUED: {
    summary:
      "`enqueue` was called with a command that is not queued, or `status` in an app that handles no queued command",
    action: 'define the command with `mode: "queued"`, or `execute` it',
  },
  CQRS_NO_CACHE: {
    summary:
      "a query has `cache`, but the app has no cache; or the app names `caching` after `cqrs`; it does not start",
    action: "name `caching` before `cqrs` in `App.with`, and call `enableCaching`",
  },
  CQRS_NO_EVENT_STORE: {
    summary:
      "a handler uses events in an app without an event store; with `decideWith`, the app does not start",
    action: "name `eventSourcing` before `cqrs` in `App.with`, and call `enableEventSourcing`",
  },
  CQRS_NO_TRANSACTION: {
    summary: "a handler used `RequestTransaction` outside the transaction of its request",
    action: "name it in `inject` of the route, directly or through another token, and call `enableCqrs`",
  },
  CQRS_OTHER_DATABASE: {
    summary:
      "the event store has a separate database, which the transaction of a command cannot include; the app does not start",
    action: "omit `connectionUrl` of `enableEventSourcing`",
  },
  CQRS_OUTCOME_UNKNOWN: {
    status: 503,
    summary:
      "the connection was lost during the commit of a command, or of a request with `RequestTransaction`",
    action: "repeat the call with the same idempotency key; without one, read the data first",
  },
  CQRS_RESULT_NOT_KEPT: {
    status: 409,
    summary:
      "the repeated call was completed before, but its result was larger than `maxStoredBytes`, or a stream of unknown length",
    action: "read the data; raise `maxStoredBytes`, or return less",
  },
  CQRS_TIMEOUT: {
    status: 504,
    summary:
      "a command or query took longer than its time limit; `outcome` says whether a command's changes were rolled back",
    action: "after `rolled-back` repeat it; after `unknown` only with the same idempotency key",
  },
  CQRS_UNKNOWN_CALLER: {
    summary:
      "the user of a call with an idempotency key, or of a queued command, is an object without an `id`, so the call cannot be distinguished from calls of other users",
    action: "set `callerOf` of `CqrsConfig`",
  },
};
