import type { EventMetadata } from "./event-metadata.ts";

/** An event to append: created by an event type, or a plain object. */
export interface NewEvent<Type extends string = string, Data = unknown> {
  /** Name of its type. */
  readonly type: Type;
  /** A JSON value. */
  readonly data: Data;
  /** Unique in its stream, so that a repeated append with the same ids changes nothing. @default a random UUID */
  readonly id?: string;
  /** Added to the metadata of the append. */
  readonly metadata?: EventMetadata;
}

/** An event of a stream. */
export interface StoredEvent<Type extends string = string, Data = unknown> {
  /** Name of its type. */
  readonly type: Type;
  /** The data, in the current version of the type. */
  readonly data: Data;
  /** Unique in its stream. */
  readonly id: string;
  /** Name of the stream. */
  readonly stream: string;
  /** Tenant of the stream; empty without tenants. */
  readonly tenant: string;
  /** Number in the stream, from 1. Events that an upcaster split from one stored event share it. */
  readonly version: number;
  /** Position in the global order: an opaque string that sorts in the order of events. */
  readonly position: string;
  /** Origin of the event. */
  readonly metadata: EventMetadata;
  /** Time of the append, by the database's clock. */
  readonly recordedAt: Date;
}
