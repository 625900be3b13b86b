/** Limits on input. The README lists them. */

/** Maximum time limit of a command or query: an hour. */
export const MAX_TIMEOUT_MS = 3_600_000;
/** Maximum length of an idempotency key, in characters. */
export const MAX_KEY_LENGTH = 255;
/** Maximum number of concurrent commands, and of concurrent queries, in one process, including waiting ones. */
export const MAX_RUNNING = 10_000;
/** Default body limit of the endpoint of a queued command, in bytes: the queue stores it. */
export const MAX_QUEUED_BYTES = 1_000_000;
/** Maximum size of the input of a queued command as JSON, in bytes: the queue stores 1,048,576 with the name of the command. */
export const MAX_QUEUED_INPUT_BYTES = 1_048_000;
/** Maximum wait for projections that the event store accepts, in milliseconds. */
export const MAX_WAIT_MS = 600_000;
/** Maximum number of route handlers that hold idempotency keys in one process. */
export const MAX_ROUTE_KEYS = 10_000;
/** Maximum number of running and waiting commands with the same key in one process. */
export const MAX_LANE = 1000;
