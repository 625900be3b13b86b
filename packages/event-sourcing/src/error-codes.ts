import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const eventSourcingErrors: ErrorCatalogue = {
  EVENTS_BAD_APPEND: {
    summary:
      "an append is empty, repeats an id or a stream, or has malformed events or a malformed `expected`; or `appendMany` repeats an earlier call only in part",
    action: "correct the append by the rule in the message",
  },
  EVENTS_BAD_DECIDER: {
    summary:
      "the definition of a decider is malformed, or one of its functions returned a promise as the state",
    action: "correct the definition by the rule in the message",
  },
  EVENTS_BAD_NAME: {
    summary:
      "the name of a stream, category, type, tenant, subject or event id is empty, too long, or has control characters",
    action: "correct the value that the message names",
  },
  EVENTS_BAD_POSITION: {
    status: 400,
    summary: "a position does not come from the store",
    action: "pass positions on unchanged",
  },
  EVENTS_BAD_PROJECTION: {
    summary:
      "the definition of a projection is malformed, clashes with another, or differs from the one in the store",
    action: "correct the definition as the message says; for a changed view, raise `version`",
  },
  EVENTS_BAD_READ: {
    summary: "an option of a read is out of range",
    action: "pass a value in the range that the message names",
  },
  EVENTS_BAD_STORE: {
    summary:
      "`storeType`, `connectionUrl` or `positions` contradict each other or the database; the app does not start",
    action: "change the option that the message names",
  },
  EVENTS_BAD_TYPE: {
    summary: "the definition of an event type is malformed, or lacks a schema or an upcaster",
    action: "correct the definition as the message says",
  },
  EVENTS_BUSY: {
    status: 503,
    summary: "10,000 calls of `waitFor` are open in the process",
    action: "limit the requests, or read without waiting",
  },
  EVENTS_CONFLICT: {
    status: 409,
    summary: "`ConflictError`: the stream does not have the expected version; nothing was appended",
    action: "read the stream, or `newer` of the error, and decide again",
  },
  EVENTS_DUPLICATE_TYPE: {
    summary: "two event types have the same name; the app does not start",
    action: "rename one",
  },
  EVENTS_EVOLVE_FAILED: {
    summary:
      "`evolve` threw for the events that `execute` has just appended; they are stored, unless the caller's transaction is rolled back",
    action: "do not repeat the command; correct `evolve`, which fails again when the stream is loaded",
  },
  EVENTS_INVALID_DATA: {
    summary:
      "data or metadata of an event does not fit its schema, or JSON cannot represent it; nothing was appended",
    action: "correct the member that the message names",
  },
  EVENTS_IN_MEMORY: {
    summary: "several workers were started with an in-memory store; the app does not start",
    action: "use a database, or run one worker",
  },
  EVENTS_LOCKS_HIDDEN: {
    summary: "the PostgreSQL server hides its locks, so readers could miss events; the app does not start",
    action: 'set `positions: "counter"` before the first start',
  },
  EVENTS_NEWER_SCHEMA: {
    summary: "an event was written by code that knows a later version of its type",
    action: "deploy that code; during a rolling deployment, deploy readers first",
  },
  EVENTS_NOT_ENABLED: {
    summary: "the event store was used before `enableEventSourcing`",
    action: "call `enableEventSourcing` first",
  },
  EVENTS_OUTDATED: {
    status: 503,
    summary:
      "a later version of an inline projection is live, but this process does not have it; nothing was appended",
    action: "deploy the later code to every process",
  },
  EVENTS_PARTIAL_OVERLAP: {
    status: 409,
    summary:
      "some ids of an append exist in the stream and others do not, or in another order; nothing was appended",
    action: "repeat exactly the same append, or use new ids",
  },
  EVENTS_APPEND_OPEN: {
    summary: "an inline projection waited 30 s for an append whose transaction is open; nothing was changed",
    action: "end that transaction, then try again",
  },
  EVENTS_PART_REFUSED: {
    summary: "a part of a view cannot be rebuilt; nothing was changed",
    action: "do what the message says, or raise `version` to rebuild the whole view",
  },
  EVENTS_STREAM_ARCHIVED: {
    status: 409,
    summary: "the stream is archived; nothing was appended",
    action: "call `restore`, or continue in a new stream",
  },
  EVENTS_TOO_LARGE: {
    summary: "an append exceeds a limit; nothing was appended",
    action: "split the append, or shorten the data; the message names the limit",
  },
  EVENTS_TOO_MANY_SUBSCRIPTIONS: {
    summary: "1,000 subscriptions are open in the process",
    action: "stop some, or share one",
  },
  EVENTS_UNKNOWN_PROJECTION: {
    summary: "a name is not in the option `projections`",
    action: "add the projection to the option",
  },
  EVENTS_UNKNOWN_TYPE: {
    summary: "an event type is not in the option `events`, or is retired",
    action: "add the type to the option; for a retired type, append its successor",
  },
  EVENTS_UNREADABLE: {
    summary: "stored data was changed outside the store",
    action: "restore the event that the message names from a backup",
  },
  EVENTS_UPCAST_FAILED: {
    summary: "an upcaster threw, returned nothing or a promise, or splits endlessly",
    action: "correct the upcaster that the message names",
  },
};
