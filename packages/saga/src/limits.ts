/** Most steps of a saga; each branch of a `parallel` counts. */
export const MAX_STEPS = 64;
/** Largest input, output and message, in bytes of JSON. */
export const MAX_VALUE_BYTES = 1_048_576;
/** Most messages that a saga keeps, with those that a wait has taken. */
export const MAX_MESSAGES = 1000;
/** Longest wait, sleep and time limit in milliseconds: ten years. */
export const MAX_WAIT_MS = 315_360_000_000;
/** How long an attempt may go on after its time limit, when its signal has aborted. */
export const GRACE_MS = 10_000;
/** Workers that may be lost while they run one saga, before it is paused, or stuck while it is undone. */
export const MAX_LOST_TURNS = 10;
