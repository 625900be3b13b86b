/** Maximum number of steps of a saga; each branch of a `parallel` counts. */
export const MAX_STEPS = 64;
/** Maximum size of an input, output or message, in bytes of JSON. */
export const MAX_VALUE_BYTES = 1_048_576;
/** Maximum number of messages of a saga, including consumed ones. */
export const MAX_MESSAGES = 1000;
/** Maximum wait and sleep in milliseconds: ten years. */
export const MAX_WAIT_MS = 315_360_000_000;
/** Grace period of an attempt after its time limit, in milliseconds. */
export const GRACE_MS = 10_000;
/** Number of lost workers after which a saga is paused, or stuck if it is being undone. */
export const MAX_LOST_WORKERS = 10;
