import { givenFields } from "@framework/core/feature";
import type { Json } from "./json.ts";

/** Origin of an event. Additional members are stored unchanged. */
export interface EventMetadata {
  /** Identifies the business transaction of the event across services: the id of its first request. */
  readonly correlationId?: string;
  /** Id of the command or event that caused it. */
  readonly causationId?: string;
  /** Id of the trace: 32 hexadecimal digits. */
  readonly traceId?: string;
  /** Id of the span within the trace: 16 hexadecimal digits. */
  readonly spanId?: string;
  /** The user or client that caused it: the name of a user or API key, or the subject of a token. */
  readonly actor?: string;
  readonly [name: string]: Json | undefined;
}

/** Adds metadata, which takes precedence; `undefined` counts as not given. */
export const addMetadata = (metadata: EventMetadata, added: EventMetadata): EventMetadata => ({
  ...metadata,
  ...givenFields({ ...added }), // a copy, because untyped programs may pass null
});

/** Metadata of an event without a known origin. A single object, so that an identity check recognises it. */
export const noMetadata: EventMetadata = Object.freeze({});
