import type { EventMetadata } from "./event-metadata.ts";

/** An event to append: made by an event type, or a plain object. */
export interface NewEvent<Type extends string = string, Data = unknown> {
  /** Name of its type. */
  readonly type: Type;
  /** A value of JSON. */
  readonly data: Data;
  /** Unique in its stream: an append that is repeated with the same ids happens once. @default a random UUID */
  readonly id?: string;
  /** Added to the metadata of the append. */
  readonly metadata?: EventMetadata;
}

/** An event of a stream. */
export interface StoredEvent<Type extends string = string, Data = unknown> {
  /** Name of its type. */
  readonly type: Type;
  /** The data, in the form of the type's current version. */
  readonly data: Data;
  /** Unique in its stream. */
  readonly id: string;
  /** Name of the stream. */
  readonly stream: string;
  /** Tenant of the stream; empty without tenants. */
  readonly tenant: string;
  /** Number in the stream, from 1. Events that an upcaster made of one have the same. */
  readonly version: number;
  /** Position in the store: opaque text that sorts in the order of events. */
  readonly position: string;
  /** Where it comes from. */
  readonly metadata: EventMetadata;
  /** When it was appended, by the database's clock. */
  readonly recordedAt: Date;
}
