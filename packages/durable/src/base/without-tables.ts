import { FrameworkError } from "@framework/core";
import { DatabaseError } from "@framework/database";

/** Why the tables may be missing: the app, whose start creates them, has not started, or no feature of the app has used them so far. */
const reasons = {
  "not started":
    "the database lacks the tables of durable work, and the app has not started; use queues, jobs and parked work after the start, for example in a startup handler, or create the tables",
  "not used":
    "the database lacks the table of parked work, and no feature of this app has used it so far; create it",
} as const;

/** Returns DURABLE_TABLES_MISSING for a statement that failed because a table is missing, and any other error unchanged. */
export const withoutTables = (error: unknown, reason: keyof typeof reasons = "not started"): unknown =>
  error instanceof DatabaseError && error.kind === "syntax" // includes missing tables; our statements have no other syntax errors
    ? new FrameworkError(
        "DURABLE_TABLES_MISSING",
        `durable: ${reasons[reason]} with app.durable.migrate() or \`framework migrate\``,
        { cause: error },
      )
    : error;
