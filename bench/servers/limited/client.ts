/** The field that names a client, in place of its address: the bench has one address only. */
export const CLIENT_FIELD = "X-Client";

/** Requests of a client in an hour: more than the bench sends. */
export const MAX_REQUESTS = 100_000_000;

export const WINDOW_SECS = 3600;
