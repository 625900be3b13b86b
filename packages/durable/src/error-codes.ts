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
