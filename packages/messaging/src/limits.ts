/** Longest id, type, source, subject and key, in characters. */
export const MAX_ATTRIBUTE = 512;

/** Longest name of a topic, in bytes as UTF-8: Kafka takes 249, and RabbitMQ 255, with what its queues for delays add. */
export const MAX_TOPIC_BYTES = 230;

/** Most bytes of headers that messaging adds on the way of a message: those of later tries, and of dead letters. */
export const MAX_OWN_HEADER_BYTES = 2048;

/** Most levels of arrays and objects in data. */
export const MAX_DEPTH = 128;

/** Messages of one `send`. */
export const MAX_MESSAGES = 10_000;

/** Longest delay of a message, retries included, and longest time to live: 7 days. */
export const MAX_DELAY_MS = 604_800_000;

/** Longest time of a request until its reply, in milliseconds: its reply is kept for as long. */
export const MAX_REQUEST_MS = 3_600_000;

/** Longest delay that a handler can ask for and keep its message in the process, in milliseconds. */
export const MAX_QUICK_DELAY_MS = 1000;

/** Bytes that the unsettled deliveries of one subscription hold at most before it fetches no more. */
export const MAX_HELD_BYTES = 67_108_864;

/** Shortest time that a handler has to end after its signal, in milliseconds; then its place is given to another one. */
export const MIN_PATIENCE_MS = 10_000;
