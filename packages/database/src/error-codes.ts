import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const databaseErrors: ErrorCatalogue = {
  DATABASE_BAD_BATCH: {
    summary: "`batchSize` is not a whole number within its range",
    action: "use a value in the range that the message names",
  },
  DATABASE_BAD_MIGRATIONS: {
    summary:
      "the folder of migrations is missing, a name or number is malformed or repeated, or a migration has parameters or an unclosed comment, or ends its transaction",
    action: "correct the problems that the message lists",
  },
  DATABASE_BAD_NAME: {
    summary: "a name of a table or column is empty or contains NUL",
    action: "correct the name",
  },
  DATABASE_BAD_NOTIFICATION: {
    summary:
      "a channel or payload of a notification is not portable to every database, or `listen` got no function",
    action: "use the format that the message states",
  },
  DATABASE_BAD_PARAMETERS: {
    summary:
      "the number of values differs from the number of parameters or exceeds the maximum, or a parameter has another form than `$1`, `$2` …",
    action: "pass one value for each parameter, in the form `$1`, `$2` …; send too many values in parts",
  },
  DATABASE_BAD_SIGNAL: {
    summary: "a `signal` is not an AbortSignal",
    action: "pass `signal` of an AbortController, or none",
  },
  DATABASE_BAD_STATEMENT: {
    summary:
      "a statement is not a template, a string or a value of `sql`, but, for example, a list from a request",
    action: "write the statement in the program, and pass input as values",
  },
  DATABASE_BAD_TIMEOUT: {
    summary: "`timeoutSecs` of a transaction is not a number within its range",
    action: "use a value in the range that the message names",
  },
  DATABASE_BAD_TRANSACTION: {
    summary: "`transaction` or `onCommit` got no function, or an option is unknown or has an invalid value",
    action: "correct the argument that the message names",
  },
  DATABASE_BAD_VALUE: {
    summary: "a parameter is not a value that the database can store",
    action: "correct the parameter that the message names",
  },
  DATABASE_CLOSED: {
    status: 503,
    summary: "the database was used after it had been closed, as at the stop of its app",
    action: "finish all work before the database is closed",
  },
  DATABASE_COMMIT_UNKNOWN: {
    status: 503,
    summary: "the connection broke during a commit; the outcome is unknown",
    action: "read the data before repeating the change",
  },
  DATABASE_COPY: {
    summary: "a statement is `COPY … FROM STDIN` or `COPY … TO STDOUT`",
    action: "use `INSERT` and `stream(…)`, or the program `psql`",
  },
  DATABASE_IN_MEMORY: {
    summary: "several workers were started with a database in memory; the app does not start",
    action: "use `sqlite://<path>`, or run one worker",
  },
  DATABASE_MIGRATION_AHEAD: {
    summary: "a newer version of a package has changed its tables, and this version can no longer use them",
    action: "deploy the newer version; the message names the migration",
  },
  DATABASE_MIGRATION_CHANGED: {
    summary: "a migration was edited after it had run",
    action: "restore it, and write a new migration",
  },
  DATABASE_MIGRATION_FAILED: {
    summary: "the database rejected a statement of a migration; nothing was changed",
    action: "correct the migration; the message shows file, line and cause",
  },
  DATABASE_MIGRATION_MISSING: {
    summary: "a migration does not exist, or has a number below one that has run",
    action: "restore the file, or give the migration a higher number",
  },
  DATABASE_MIGRATION_NO_WAY_BACK: {
    summary: "a migration to revert has no `.down.sql`",
    action: "write the file",
  },
  DATABASE_NOT_ENABLED: {
    summary: "the database was used before `enableDatabase`",
    action: "call `enableDatabase` first",
  },
  DATABASE_NOT_ONE_STATEMENT: {
    summary: "an SQL text is empty, or has several statements",
    action: "send them one by one, or as `tx.script(text)`",
  },
  DATABASE_NO_MIGRATIONS: {
    summary: "`migrateAtStart` is set without `migrations`; the app does not start",
    action: "set `migrations` to the folder",
  },
  DATABASE_SQLITE_ON_HOSTS: {
    summary: "advice: several hosts serve the app, and each has its own SQLite file",
    action: "use PostgreSQL, or one host",
  },
  DATABASE_STATEMENT_FAILED: {
    summary: "`DatabaseError`: the database rejected a statement",
    action: "read `kind`, `sqlCode` and `constraint` of the error",
  },
  DATABASE_TOO_MANY_CALLBACKS: {
    summary: "a transaction registered more than 10 000 callbacks with `onCommit`",
    action: "register one callback for all rows",
  },
  DATABASE_TRANSACTION_ABORTED: {
    summary: "a transaction continued after one of its statements had failed; it was rolled back",
    action: "let the error propagate, or catch it around `tx.transaction(…)`",
  },
  DATABASE_TRANSACTION_CONTROL: {
    summary: "a statement begins or ends a transaction or savepoint",
    action: "use `transaction(…)`, nested for a savepoint",
  },
  DATABASE_TRANSACTION_IDLE: {
    summary: "an idle transaction was rolled back",
    action: "do slow work outside the transaction",
  },
  DATABASE_TRANSACTION_NESTED: {
    summary: "a transaction was used while a nested one was open",
    action: "use the nested one, and await it before the next",
  },
  DATABASE_TRANSACTION_OVER: {
    summary: "a transaction was used after it had ended",
    action: "await every statement inside the function",
  },
  DATABASE_TRANSACTION_TIMEOUT: {
    status: 503,
    summary:
      "`DatabaseUnavailableError`: a transaction took longer than its `timeoutSecs`; it was rolled back",
    action: "do less in one transaction, or give it more time",
  },
  DATABASE_UNAVAILABLE: {
    status: 503,
    summary: "`DatabaseUnavailableError`: no connection in time, or the connection broke",
    action: "check the server; clients retry after a second",
  },
};
