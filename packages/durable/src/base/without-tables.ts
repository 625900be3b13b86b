import { FrameworkError } from "@framework/core";
import { DatabaseError } from "@framework/database";

/** Returns the error of a statement that failed before the start, which creates the tables: DURABLE_TABLES_MISSING when they are why it failed. */
export const withoutTables = (error: unknown): unknown =>
  error instanceof DatabaseError && error.kind === "syntax" // a missing table is one, and our statements have no other
    ? new FrameworkError(
        "DURABLE_TABLES_MISSING",
        "durable: the database lacks the tables of durable work, and the app has not started; use queues and jobs after the start, for example in a startup handler, or create the tables with app.durable.migrate() or `framework migrate`",
        { cause: error },
      )
    : error;
