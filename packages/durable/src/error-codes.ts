import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const durableErrors: ErrorCatalogue = {
  DURABLE_TABLES_MISSING: {
    summary:
      "tables are missing or outdated and `migrateAtStart` is off, so the app does not start; or a queue, job or parked work was used before the start created them",
    action:
      "call `app.durable.migrate()` or run `framework migrate` once per deployment, or set `migrateAtStart: true`; use queues, jobs and parked work after the start",
  },
  DURABLE_ALREADY_STARTED: {
    summary: "a feature added tables after the start",
    action: "call `kernel.tables` in the `enableX` method",
  },
  DURABLE_BAD_LANES: {
    summary: "the number of lanes is not 1 to 1,024, or a kind runs twice in one process",
    action: "pass a number in the range, or a unique kind",
  },
  DURABLE_BAD_NAME: {
    summary: "a kind or name of a lease is empty, longer than 200 characters or not printable ASCII",
    action: "correct the name",
  },
  DURABLE_LEASE_LOST: {
    summary: "`LeaseLostError`: another process owns the lease or lane, and the transaction was refused",
    action:
      "nothing: the new owner continues; long blocking work or a long outage of the database is the usual cause",
  },
  DURABLE_NO_DATABASE: {
    summary: "a feature uses the kernel, and the app has no database; the app does not start",
    action: "call `enableDatabase`",
  },
  DURABLE_NOT_RENEWED: {
    summary: "a health check: leases were not renewed for a whole lease, and their work was given up",
    action: "check the database",
  },
  DURABLE_BUSY: {
    status: 503,
    summary:
      "10,000 transactions wait for the group commit on SQLite, or 10,000 additions of jobs with keys wait for their statements",
    action: "slow the writers down; clients retry after a second",
  },
  DURABLE_BAD_TABLES: {
    summary: "two features use the same name for a set of tables",
    action: "rename one of the sets",
  },
  DURABLE_BAD_WORK: {
    summary:
      "work cannot be enqueued, or a result or progress stored: not JSON, too large, or an option out of its range",
    action: "correct the value or option that the message names",
  },
  DURABLE_BAD_FILTER: {
    summary: "a list, replay or discard has an unknown option, or one out of its range",
    action: "correct the option that the message names",
  },
  DURABLE_QUEUE_TAKEN: {
    summary: "a queue was defined twice in one process",
    action: "rename one of the queues",
  },
  DURABLE_PARKED_BEHIND: {
    summary: "work is parked, because an earlier item of its key is; the code of its error",
    action: "replay or discard the earlier item; both are replayed in their order",
  },
  DURABLE_SOURCE_TAKEN: {
    summary: "two features park work under the same source",
    action: "rename one of the sources",
  },
  DURABLE_NON_RETRYABLE: {
    summary: "`NonRetryableError`: a handler threw it, because another attempt is pointless",
    action: "inspect the parked item; correct the cause, then replay or discard it",
  },
  DURABLE_UNHEALTHY: {
    summary: "a health check: a queue is stalled, or too many items give up; the message has the queues",
    action: "look for handlers that hold the slots, or at the failures of the items",
  },
  DURABLE_TIMEOUT: {
    summary: "an attempt at an item took longer than `timeoutMs` of its queue; the reason of its signal",
    action: "make the handler observe its signal, or raise the limit",
  },
  DURABLE_LOST: {
    summary:
      "an attempt has ended, because its item was taken over, cancelled or completed; its writes are refused",
    action: "let the error roll back the transaction: another process continues with the item",
  },
  DURABLE_CANCELLED: {
    summary: "the item of a running handler was cancelled; the reason of its signal",
    action: "nothing",
  },
  DURABLE_RELEASED: {
    summary: "the process stopped before a handler had returned; the reason of its signal",
    action: "nothing: another process takes the item over, and the attempt does not count",
  },
  DURABLE_ATTEMPT_LOST: {
    summary: "an item gave up, because its process ended or hung in its last attempt",
    action: "find out why the process ended, then replay the item",
  },
  DURABLE_TRY_LATER: {
    summary: "a feature gave an item back to its queue for a while",
    action: "nothing: it runs again",
  },
};
