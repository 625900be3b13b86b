import { FrameworkError } from "@framework/core";
import { DatabaseError } from "@framework/database";

/** Why the tables may be missing: the start, which creates them, is yet to come, or no feature of the app has used them so far. */
const reasons = {
  "not started":
    "the database lacks the tables of durable work, and the app has not started; use queues, jobs and parked work after the start, for example in a startup handler, or create the tables",
  "not used":
    "the database lacks the table of parked work, and no feature of this app has used it so far; create it",
} as const;

/** Returns the error of a statement that failed where the tables may be missing: DURABLE_TABLES_MISSING when they are why it failed. */
export const withoutTables = (error: unknown, reason: keyof typeof reasons = "not started"): unknown =>
  error instanceof DatabaseError && error.kind === "syntax" // a missing table is one, and our statements have no other
    ? new FrameworkError(
        "DURABLE_TABLES_MISSING",
        `durable: ${reasons[reason]} with app.durable.migrate() or \`framework migrate\``,
        { cause: error },
      )
    : error;
