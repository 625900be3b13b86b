/** Limits on input. The README lists them. */

/** Maximum length of a stream name, in characters. */
export const MAX_STREAM_NAME = 255;
/** Maximum length of the name of a type, tenant or subject, and of an event id, in characters. */
export const MAX_NAME = 200;
/** Maximum size of the data of one event, in bytes of JSON. */
export const MAX_EVENT_BYTES = 1_048_576;
/** Maximum size of the metadata of one event, in bytes of JSON. */
export const MAX_METADATA_BYTES = 16_384;
/** Maximum number of events of one append, over all its streams. */
export const MAX_BATCH = 1000;
/** Maximum size of the data of one append, over all its streams, in bytes of JSON. */
export const MAX_BATCH_BYTES = 16_777_216;
/** Maximum number of streams of one append. */
export const MAX_STREAMS = 100;
/** Maximum number of newer events in a conflict error, counted as stored. */
export const MAX_NEWER_EVENTS = 100;
/** Maximum number of events of one `rebuildPart`. */
export const MAX_PART_EVENTS = 100_000;
/** Maximum number of events that upcasters make from one stored event. */
export const MAX_PARTS = 100;
