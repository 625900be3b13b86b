// CloudEvents 1.0 (github.com/cloudevents/spec): the JSON format and the binary mode of the protocol bindings.
import { jsonWriter } from "@framework/core/feature";
import type { Capabilities } from "../port/capabilities.ts";
import type { WireHeaders } from "../port/delivery.ts";
import { EXTENSION, isExtension } from "./extensions.ts";
import { type Event, newHeaders, noHeaders } from "./event.ts";

/** Headers and body of an encoded event. */
export interface EncodedEvent {
  readonly headers: WireHeaders;
  readonly body: string;
}

/** Content type of a structured event. */
export const STRUCTURED = "application/cloudevents+json";

/** Encodes an event with JSON data in the mode of a broker. @throws MESSAGING_BAD_MESSAGE when JSON would lose or change part of the data; the message has its path */
export const encode = (event: Event, envelope: Capabilities["envelope"]): EncodedEvent =>
  envelope.mode === "structured" ? encodeStructured(event) : encodeBinary(event, envelope.prefix);

/** Splits headers from extension attributes. */
const split = (headers: WireHeaders): { readonly plain: WireHeaders; readonly extensions: WireHeaders } => {
  if (headers === noHeaders) return { plain: noHeaders, extensions: noHeaders };
  const [plain, extensions] = [newHeaders(), newHeaders()];
  for (const name in headers) {
    const value = headers[name] ?? "";
    if (isExtension(name)) extensions[name.slice(EXTENSION.length)] = value;
    else plain[name] = value;
  }
  return { plain, extensions };
};

const encodeStructured = ({ id, type, source, subject, time, key, data, headers }: Event): EncodedEvent => {
  const { plain, extensions } = split(headers);
  const attributes = {
    ...extensions,
    specversion: "1.0",
    id,
    type,
    source,
    subject: subject ?? undefined,
    time: time ?? undefined,
    partitionkey: key ?? undefined,
    datacontenttype: "application/json",
  };
  const members = JSON.stringify(attributes);
  return { headers: structuredHeaders(plain), body: `${members.slice(0, -1)},"data":${jsonOf(data)}}` };
};

const report = { debug: true, exact: true, log: { warn: () => {} }, code: "MESSAGING_BAD_MESSAGE" }; // `exact` throws instead of logging

const write = jsonWriter("messaging: a message cannot be sent: its data", report);

/** Returns data as JSON; `undefined` as `null`. */
const jsonOf = (data: unknown): string => (data === undefined ? "null" : write(data));

/** Adds the content type. Events without headers, the common case, share one object. */
const structuredHeaders = (headers: WireHeaders): WireHeaders => {
  if (headers === noHeaders) return onlyStructured;
  const sent = Object.assign(newHeaders(), headers);
  sent["content-type"] = STRUCTURED;
  return sent;
};

const onlyStructured: WireHeaders = Object.freeze(
  Object.assign(newHeaders(), { "content-type": STRUCTURED }),
);

const encodeBinary = (
  { id, type, source, subject, time, key, data, headers }: Event,
  prefix: string,
): EncodedEvent => {
  const { plain, extensions } = split(headers);
  const sent = Object.assign(newHeaders(), plain);
  for (const name in extensions) sent[`${prefix}${name}`] = extensions[name] ?? "";
  sent[`${prefix}specversion`] = "1.0";
  sent[`${prefix}id`] = id;
  sent[`${prefix}type`] = type;
  sent[`${prefix}source`] = source;
  if (subject !== null) sent[`${prefix}subject`] = subject;
  if (time !== null) sent[`${prefix}time`] = time;
  if (key !== null) sent[`${prefix}partitionkey`] = key;
  sent["content-type"] = "application/json";
  return { headers: sent, body: jsonOf(data) };
};
