/** Bounds of everything that callers can make grow. The README lists them. */

/** Longest time limit of a command or query: an hour. */
export const MAX_TIMEOUT_MS = 3_600_000;
/** Longest idempotency key, in characters. */
export const MAX_KEY_LENGTH = 255;
/** Most commands, and most queries, that one process runs at once; waiting ones count. */
export const MAX_RUNNING = 10_000;
/** Default body limit of the endpoint of a queued command, in bytes: the queue stores it. */
export const MAX_QUEUED_BYTES = 1_000_000;
/** Longest wait for projections that the event store accepts, in milliseconds. */
export const MAX_WAIT_MS = 600_000;
/** Most handlers of routes that hold idempotency keys in one process. */
export const MAX_ROUTE_KEYS = 10_000;
/** Most commands that wait in one process for others of the same key. */
export const MAX_LANE = 1000;
