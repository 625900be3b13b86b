import type { Json } from "./json.ts";

/** Where an event comes from. Text of any form; members of the program's own are kept as they are. */
export interface EventMetadata {
  /** Identifies the piece of business that the event is part of, over all services: the id of the request that began it. */
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

/** Metadata of an event that comes from nowhere in particular: one object, so that it is recognised without looking into it. */
export const noMetadata: EventMetadata = Object.freeze({});
