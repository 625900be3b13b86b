import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const dbosErrors: ErrorCatalogue = {
  SAGA_DBOS_UNAVAILABLE: {
    status: 503,
    summary:
      "the app's database was unavailable for a whole lease, so the process lost its executor id and runs no sagas until it has claimed another",
    action:
      "repeat the call when the database is available; the log has the errors of the attempts to relaunch DBOS",
  },
  SAGA_DBOS_NOT_STARTED: {
    summary: "sagas are used before the app's start or after its stop",
    action: "use them after the start and before the stop",
  },
  SAGA_DBOS_NO_TRANSACTION: {
    summary: "`start` or `deliver` was called with a transaction of the app; DBOS uses its own connections",
    action: "send a message in the transaction, and start the saga in its handler; or use the local runner",
  },
  SAGA_DBOS_NO_URL: {
    summary: "`dbosRunner` has no URL of a PostgreSQL database; the app does not start",
    action: "pass `url`",
  },
  SAGA_DBOS_TAKEN: {
    summary:
      "another app of this process runs sagas on DBOS, or the program uses DBOS itself; the app does not start",
    action: "run one of them in a separate process",
  },
  SAGA_DBOS_TOO_MANY: {
    summary: "256 processes of this app use DBOS; the app does not start",
    action: "run fewer processes",
  },
};
