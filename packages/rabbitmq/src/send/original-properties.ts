import {
  newHeaders,
  type Original,
  type OutgoingMessage,
  type WireHeaders,
} from "@framework/messaging/adapter";
import type { MessageProperties, Options } from "amqplib";
import { writtenBytes, toWritable } from "./field-values.ts";
import { propertiesOf, type PublishInfo } from "./properties.ts";
import { isShort } from "./short-string.ts";
import { isServerHeader, TRIES } from "./wire-headers.ts";

/** Properties that copies keep. Not `expiration`, which would remove a dead letter, and not `user-id`, which the server accepts only from that user. */
const copiedProperties = [
  "contentType",
  "contentEncoding",
  "correlationId",
  "replyTo",
  "messageId",
  "type",
  "appId",
] as const;

/** Maximum bytes of a table that amqplib writes. */
const MAX_TABLE_BYTES = 65_536;

/** Headers that would make the server send the copy to further queues. */
const routing: ReadonlySet<string> = new Set(["CC", "BCC"]);

/** Original properties and headers of a delivery that strings cannot represent: other types, upper-case names, names that differ in case. */
export class OriginalProperties implements Original {
  readonly bytes: number;
  private readonly properties: MessageProperties;
  private readonly seen: WireHeaders;

  /** @param seen the headers of its delivery */
  constructor(properties: MessageProperties, seen: WireHeaders) {
    this.properties = properties;
    this.seen = seen;
    this.bytes = Object.values(properties.headers ?? {}).reduce(
      (sum: number, value: unknown) => (typeof value === "string" ? sum : sum + writtenBytes(value)), // strings are counted by messaging
      0,
    );
  }

  /** Returns the properties of a copy: the original ones with the changes that messaging has made. */
  propertiesForCopy({ id, headers }: OutgoingMessage, at: PublishInfo): Options.Publish {
    const changed = newHeaders();
    for (const name in headers) {
      const value = headers[name];
      if (value !== undefined && value !== this.seen[name]) changed[name] = value;
    }
    const copy = propertiesOf({ id, key: null, headers: changed }, at);
    const timestamp: unknown = this.properties.timestamp;
    const priority: unknown = this.properties.priority;
    return {
      ...copy,
      ...this.texts(headers),
      ...(isTime(timestamp) && { timestamp }),
      ...(typeof priority === "number" && { priority }),
      headers: this.table(headers, copy.headers),
    };
  }

  private texts(headers: WireHeaders): Options.Publish {
    const found: Record<string, string> = {};
    for (const name of copiedProperties) {
      const value: unknown = this.properties[name];
      if (typeof value !== "string" || value === "" || !isShort(value)) continue;
      if (name !== "contentType" || value === headers["content-type"]) found[name] = value;
    }
    return found;
  }

  /** Returns all headers; only string headers if together they exceed the bytes that amqplib can write. */
  private table(headers: WireHeaders, changed: object): Record<string, unknown> {
    const whole = Object.assign(
      this.headersOf(headers, () => true),
      changed,
    );
    if (writtenBytes(whole) <= MAX_TABLE_BYTES) return whole;
    return Object.assign(
      this.headersOf(headers, (value) => typeof value === "string"),
      changed,
    );
  }

  private headersOf(headers: WireHeaders, isKept: (value: unknown) => boolean): Record<string, unknown> {
    const table = Object.create(null) as Record<string, unknown>; // names are untrusted
    const { headers: original = {} } = this.properties;
    for (const name of Object.keys(original)) {
      const value: unknown = original[name];
      if (name === TRIES || isServerHeader(name) || routing.has(name) || !isShort(name) || !isKept(value))
        continue;
      const own = name.toLowerCase();
      if (headers[own] === this.seen[own]) table[name] = toWritable(value);
    }
    return table;
  }
}

const isTime = (value: unknown): value is number => Number.isSafeInteger(value);
