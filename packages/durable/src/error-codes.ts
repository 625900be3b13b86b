import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const durableErrors: ErrorCatalogue = {
  DURABLE_TABLES_MISSING: {
    summary: "tables are missing or outdated and `migrateAtStart` is off; the app does not start",
    action: "call `app.durable.migrate()` once per deployment, or set `migrateAtStart: true`",
  },
  DURABLE_ALREADY_STARTED: {
    summary: "a feature added tables after the start",
    action: "call `kernel.tables` in the `enableX` method",
  },
  DURABLE_BAD_LANES: {
    summary: "the number of lanes is not 1 to 1,024, or a kind runs twice in one process",
    action: "the message says which",
  },
  DURABLE_BAD_NAME: {
    summary: "a kind or name of a lease is empty, longer than 200 characters or not printable ASCII",
    action: "correct the name",
  },
  DURABLE_LEASE_LOST: {
    summary: "`LeaseLostError`: another process owns the lease or lane, and the transaction was refused",
    action:
      "nothing: the new owner goes on; long blocking work or a long outage of the database is the usual cause",
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
    summary: "10,000 transactions wait for the group commit on SQLite",
    action: "slow the writers down; clients retry after a second",
  },
  DURABLE_BAD_TABLES: {
    summary: "two features use the same name for a set of tables",
    action: "rename one of the sets",
  },
};
