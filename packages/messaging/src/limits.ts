/** Maximum length of id, type, source, subject and key, in characters. */
export const MAX_ATTRIBUTE = 512;

/** Maximum length of a topic's name in UTF-8 bytes: Kafka accepts 249, and RabbitMQ 255 including the suffix of delay queues. */
export const MAX_TOPIC_BYTES = 230;

/** Maximum bytes of headers that messaging adds to a message for retries and dead letters. */
export const MAX_OWN_HEADER_BYTES = 2048;

/** Maximum levels of arrays and objects in data. */
export const MAX_DEPTH = 128;

/** Maximum number of messages of one `sendAll`. */
export const MAX_MESSAGES = 10_000;

/** Longest delay of a message, retries included, and longest time to live: 7 days. */
export const MAX_DELAY_MS = 604_800_000;

/** Longest timeout of a request in milliseconds, and the time to live of its reply. */
export const MAX_REQUEST_MS = 3_600_000;

/** Longest delay requested by a handler, in milliseconds, for a quick try, during which the message stays in the process. */
export const MAX_QUICK_DELAY_MS = 1000;

/** Bytes of unsettled deliveries at which a subscription stops fetching. Deliveries already requested may exceed it. */
export const MAX_HELD_BYTES = 67_108_864;

/** Minimum time in milliseconds between a handler's abort signal and its abandonment. */
export const MIN_GRACE_MS = 10_000;
