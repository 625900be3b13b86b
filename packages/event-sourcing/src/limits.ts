/** Bounds of everything that callers can make grow. The README lists them. */

/** Longest name of a stream, in characters. */
export const MAX_STREAM_NAME = 255;
/** Longest name of a tenant, and longest id of an event, in characters. */
export const MAX_NAME = 200;
/** Largest data of one event, in bytes of JSON. */
export const MAX_EVENT_BYTES = 1_048_576;
/** Largest metadata of one event, in bytes of JSON. */
export const MAX_METADATA_BYTES = 16_384;
/** Most events of one append, over all its streams. */
export const MAX_BATCH = 1000;
/** Largest data of one append, in bytes of JSON. */
export const MAX_BATCH_BYTES = 16_777_216;
/** Most streams of one append. */
export const MAX_STREAMS = 100;
/** Most events that a conflict error carries. */
export const MAX_NEWER_EVENTS = 100;
/** Most events of a part of a view that is rebuilt. */
export const MAX_PART_EVENTS = 100_000;
/** Most events that one stored event becomes when it is read. */
export const MAX_PARTS = 100;
