import type { ErrorCatalogue } from "@framework/core/feature";

/** An error code of this package. */
export type SessionsErrorCode =
  | "SESSIONS_NO_SECRET"
  | "SESSIONS_NOT_ENABLED"
  | "SESSIONS_NOT_STARTED"
  | "SESSIONS_CLOSED"
  | "SESSIONS_BAD_USER"
  | "SESSIONS_BAD_VALUE"
  | "SESSIONS_TOO_LARGE"
  | "SESSIONS_ENDED"
  | "SESSIONS_UNAVAILABLE"
  | "SESSIONS_FULL"
  | "SESSIONS_IN_MEMORY";

/** The error codes of this package. */
export const sessionsErrors: ErrorCatalogue<SessionsErrorCode> = {
  SESSIONS_NO_SECRET: {
    summary:
      "`signed` without `secret`, `encrypt` or `secret` without `signed`, or `idleSecs`, unless it is the default, above `absoluteSecs`; the app does not start",
    action: "change the option that the message names",
  },
  SESSIONS_NOT_ENABLED: {
    summary:
      "`sessionOf` was called without `enableSessions`, below `skipPaths` or before sessions are read, as in the `key` of a rate limit; or `app.sessions.auth` was used without `enableSessions`",
    action: "call `enableSessions`, remove the path from `skipPaths`, or call `sessionOf` in a handler",
  },
  SESSIONS_NOT_STARTED: {
    summary: "`app.sessions.destroyAll` was called before the app had started",
    action: "call `enableSessions` and start the app first",
  },
  SESSIONS_CLOSED: {
    summary: "a session was changed after its reply had been returned",
    action: "change it in the handler, before a stream or a WebSocket begins",
  },
  SESSIONS_BAD_USER: {
    summary: "`login` or `destroyAll` was given a user that is not a string of 1 to 256 characters",
    action: "pass the id of the user as a string",
  },
  SESSIONS_BAD_VALUE: {
    summary:
      "a value is not JSON or has more than 1,000 levels, or a name is not a string of 1 to 100 characters",
    action: "store plain objects, lists, strings and finite numbers",
  },
  SESSIONS_TOO_LARGE: {
    summary: "the user and the data of a session exceed 32 KiB, or 2,800 bytes in the cookie",
    action: "store ids, and keep the data in the database",
  },
  SESSIONS_ENDED: {
    status: 409,
    summary:
      "a request changed a session that another request had destroyed or given a new id in the last five minutes; not after `destroyAll`",
    action: "send the request again, with the current cookie",
  },
  SESSIONS_UNAVAILABLE: {
    status: 503,
    summary: "the store failed, or did not answer within `storeTimeoutMs`",
    action: "check the store; clients retry after a second",
  },
  SESSIONS_FULL: {
    status: 503,
    summary:
      "the shared state of the host has `maxSessions` sessions, or with `signed` twice as many ended ones; none is dropped for a new one",
    action: "use Redis or a database; rate-limit requests that start sessions",
  },
  SESSIONS_IN_MEMORY: {
    summary:
      "a warning at start in production: sessions are kept in the memory of one host, and a restart ends them",
    action: "use Redis, or set `store`",
  },
};
