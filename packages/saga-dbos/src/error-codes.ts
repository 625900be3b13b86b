import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const dbosErrors: ErrorCatalogue = {
  SAGA_DBOS_AWAY: {
    status: 503,
    summary:
      "the app's database was away for a whole lease, so that the process lost its place and runs no sagas until it has one again",
    action: "repeat the call when the database is back; the log says why the process has no place yet",
  },
  SAGA_DBOS_NOT_STARTED: {
    summary: "sagas are used before the app's start or after its end",
    action: "use them between the two",
  },
  SAGA_DBOS_NO_TRANSACTION: {
    summary: "`start` or `deliver` was given a transaction of the app; DBOS writes on connections of its own",
    action: "send a message in the transaction, and start the saga in its handler; or use the local runner",
  },
  SAGA_DBOS_NO_URL: {
    summary: "`dbosRunner` has no address of a PostgreSQL database; the app does not start",
    action: "pass `url`",
  },
  SAGA_DBOS_TAKEN: {
    summary:
      "another app of this process runs sagas on DBOS, or the program uses DBOS itself; the app does not start",
    action: "run one of them in a process of its own",
  },
  SAGA_DBOS_TOO_MANY: {
    summary: "256 processes run sagas of this app; the app does not start",
    action: "start this process with `workers: false`",
  },
};
