import { randomUUID } from "node:crypto";
import { PermanentFailure } from "../errors/messaging-error.ts";
import { MAX_ATTRIBUTE, MAX_DEPTH } from "../limits.ts";
import type { Delivery, WireHeaders } from "../port/delivery.ts";
import { type Event, newHeaders, noHeaders } from "./event.ts";
import { EXTENSION } from "./extensions.ts";
import { isDeeperThan, maxDepth } from "./json-depth.ts";
import { STRUCTURED } from "./encode.ts";
import { GROUP, NOT_BEFORE, RAW_ID, TRIES } from "./own-headers.ts";

/** CloudEvents attributes that become members of `Event`, and `specversion`, which is checked. */
const attributes = ["specversion", "id", "type", "source", "subject", "time", "partitionkey"] as const;
type Attribute = (typeof attributes)[number];

/** Prefixes of attributes in headers: of Kafka, of HTTP, and the two of AMQP; in lower case like all header names. */
const bindings = ["ce_", "ce-", "cloudevents_", "cloudevents:"].map((prefix) => {
  const header = (attribute: string): string => `${prefix}${attribute}`;
  // Built once: for each lookup by a new string V8 computes a hash and makes an internalized copy.
  const headers = new Map(attributes.map((attribute) => [attribute, header(attribute)]));
  return { prefix, specversion: header("specversion"), headers, known: new Set(headers.values()) };
});
type Binding = (typeof bindings)[number];

/** Options of `decode` for raw messages. */
export interface RawOptions {
  /** Creates the id of a message without an id from its sender or broker, and without an offset. @default randomUUID */
  readonly newId?: (() => string) | undefined;
  /** Topic to which the message was sent. @default the topic of the delivery, which may be a retry topic */
  readonly topic?: string;
}

/**
 * Decodes a delivery: a CloudEvent in structured or binary mode of any broker; with `isRaw` also other JSON, whose type is its topic.
 *
 * @throws PermanentFailure MESSAGING_UNDECODABLE
 */
export const decode = (delivery: Delivery, isRaw: boolean, options: RawOptions = {}): Event => {
  const { headers } = delivery;
  if (isStructured(headers["content-type"])) return decodeStructured(delivery);
  const binding = bindingOf(headers);
  if (binding !== undefined) return decodeBinary(delivery, binding);
  if (isRaw) return decodeRaw(delivery, options);
  throw undecodable("it is not a CloudEvent; subscribe with `raw: true` to accept other JSON");
};

/** Whether a delivery is a CloudEvent, not a raw message. */
export const isEvent = (headers: WireHeaders): boolean =>
  isStructured(headers["content-type"]) || bindingOf(headers) !== undefined;

const bindingOf = (headers: WireHeaders): Binding | undefined =>
  bindings.find(({ specversion }) => headers[specversion] !== undefined);

const decodeStructured = (delivery: Delivery): Event => {
  const found = parseJson(textOf(delivery.body), maxDepth.structured);
  if (typeof found !== "object" || found === null || Array.isArray(found))
    throw undecodable("its body is not a JSON object");
  const attributes = found as Readonly<Record<string, unknown>>;
  const of = (name: string): unknown => (Object.hasOwn(attributes, name) ? attributes[name] : undefined);
  return event(of, delivery, {
    data: structuredData(of),
    headers: withExtensions(headersOf(delivery.headers, null), attributes),
  });
};

/** The data of a structured event. Base64 data with a JSON content type is parsed, as in binary mode (JSON format 3.1). */
const structuredData = (of: (name: string) => unknown): unknown => {
  const [data, base64, type] = [of("data"), of("data_base64"), of("datacontenttype")];
  if (base64 === undefined || base64 === null) return data;
  if (data !== undefined && data !== null) throw undecodable("it has both data and data_base64");
  if (typeof base64 !== "string" || base64.length % 4 !== 0 || !BASE64.test(base64))
    throw undecodable("its data_base64 is not valid base64");
  const bytes = new Uint8Array(Buffer.from(base64, "base64"));
  return typeof type === "string" && isJson(type) ? jsonIn(bytes) : bytes;
};

/** Valid base64, for strings whose length is a multiple of 4. */
const BASE64 = /^[A-Za-z\d+/]*={0,2}$/;

const decodeBinary = (delivery: Delivery, binding: Binding): Event => {
  const { headers, body } = delivery;
  const type = headers["content-type"];
  const isData = type === undefined || isJson(type);
  const own = headersOf(headers, binding);
  return event((name) => headers[binding.headers.get(name) ?? ""], delivery, {
    data: isData ? jsonIn(body) : bytesOf(body),
    headers: isData ? own : withHeader(own, "content-type", type),
  });
};

const decodeRaw = (delivery: Delivery, { newId = randomUUID, topic = delivery.topic }: RawOptions): Event => {
  const { partition, offset, headers, key, body } = delivery;
  const position = offset === null ? null : `${delivery.topic}/${partition ?? ""}/${offset}`;
  const given = (headers["message-id"] || headers[RAW_ID]) ?? delivery.id ?? position ?? newId();
  const own = headersOf(headers, null);
  const data = jsonIn(body);
  return {
    id: required(given, "id"),
    type: topic,
    source: topic,
    subject: null,
    time: null,
    key,
    data,
    headers: own,
  };
};

const event = (
  of: (name: Attribute) => unknown,
  { key }: Delivery,
  content: Pick<Event, "data" | "headers">,
): Event => {
  if (of("specversion") !== "1.0") throw undecodable('its specversion is not "1.0"');
  const own = optional(of("partitionkey"), "partitionkey");
  return {
    id: required(of("id"), "id"),
    type: required(of("type"), "type"),
    source: required(of("source"), "source"),
    subject: optional(of("subject"), "subject"),
    time: timeOf(of("time")),
    key: own ?? key,
    ...content,
  };
};

const required = (value: unknown, name: string): string => {
  const found = optional(value, name);
  if (found === null || found === "") throw undecodable(`it has no ${name}`);
  return found;
};

const optional = (value: unknown, name: string): string | null => {
  if (value === undefined || value === null) return null;
  const isText = typeof value === "string" && value.length <= MAX_ATTRIBUTE && !value.includes("\0");
  if (isText && value.isWellFormed()) return value;
  throw undecodable(
    `its ${name} must be a string of at most ${MAX_ATTRIBUTE} characters without NUL or lone surrogates`,
  );
};

const timeOf = (value: unknown): string | null => {
  const time = optional(value, "time");
  if (time === null || TIMESTAMP.test(time)) return time;
  throw undecodable("its time is not a timestamp of RFC 3339");
};

/** RFC 3339 5.6, leap seconds included. */
const TIMESTAMP =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** Headers of a delayed try or a replay, which are not part of the event. */
const ownHeaders: ReadonlySet<string> = new Set([TRIES, NOT_BEFORE, GROUP, RAW_ID]);

/** Returns the headers except the content type, attributes of the event, and headers of a retry or replay; extension attributes as `ce_<name>`. */
const headersOf = (headers: WireHeaders, binding: Binding | null): WireHeaders => {
  let own: Record<string, string> | null = null;
  for (const name in headers) {
    if (name === "content-type" || binding?.known.has(name) === true || ownHeaders.has(name)) continue;
    const value = headers[name];
    const isExtension = binding !== null && name.startsWith(binding.prefix);
    const ownName = isExtension ? `${EXTENSION}${name.slice(binding.prefix.length)}` : name;
    if (value !== undefined) (own ??= newHeaders())[ownName] = value;
  }
  return own ?? noHeaders;
};

/** Members of a structured event that are not extensions. */
const ownMembers: ReadonlySet<string> = new Set([...attributes, "data", "data_base64", "datacontenttype"]);

/** Adds the extension attributes of a structured event as strings, and the content type of data that is not JSON. */
const withExtensions = (headers: WireHeaders, members: Readonly<Record<string, unknown>>): WireHeaders => {
  let all = headers;
  for (const name in members) {
    if (ownMembers.has(name) || !/^[a-z\d]+$/.test(name)) continue;
    const value = members[name];
    if (["string", "number", "boolean"].includes(typeof value))
      all = withHeader(all, `${EXTENSION}${name}`, String(value));
  }
  const type = members["datacontenttype"];
  return typeof type !== "string" || isJson(type) ? all : withHeader(all, "content-type", type);
};

/** Adds a header; copies `noHeaders`, which is shared. */
const withHeader = (headers: WireHeaders, name: string, value: string): WireHeaders => {
  const own: Record<string, string> = headers === noHeaders ? newHeaders() : headers;
  own[name] = value;
  return own;
};

const isStructured = (type: string | undefined): boolean =>
  type === STRUCTURED || (type !== undefined && /^application\/cloudevents\+json\s*(?:;|$)/i.test(type));

const isJson = (type: string): boolean =>
  type === "application/json" || /^[^/;]+\/(?:[^;]+\+)?json\s*(?:;|$)/i.test(type);

const decoder = new TextDecoder("utf-8", { fatal: true });

const textOf = (body: string | Uint8Array): string => {
  if (typeof body === "string") return body.startsWith("\uFEFF") ? body.slice(1) : body; // as TextDecoder does
  try {
    return decoder.decode(body);
  } catch {
    throw undecodable("its body is not UTF-8");
  }
};

/** Copies bytes, keeping their class, such as `Buffer`: changes by a handler must not affect the next try or the dead letter. */
const bytesOf = (body: string | Uint8Array): Uint8Array =>
  typeof body === "string" ? new TextEncoder().encode(body) : Uint8Array.prototype.slice.call(body);

/** Parses a body that contains only the data; `undefined` for an empty one, such as a Kafka tombstone. */
const jsonIn = (body: string | Uint8Array): unknown =>
  body.length === 0 ? undefined : parseJson(textOf(body), maxDepth.binary);

const parseJson = (text: string, depth: number): unknown => {
  if (isDeeperThan(text, depth)) throw undecodable(`its data is nested deeper than ${MAX_DEPTH} levels`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw undecodable("its body is not valid JSON");
  }
};

const undecodable = (problem: string): PermanentFailure =>
  new PermanentFailure("MESSAGING_UNDECODABLE", `the delivery cannot be decoded: ${problem}`);
