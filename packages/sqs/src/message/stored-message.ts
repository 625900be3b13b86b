import type { Message, MessageAttributeValue } from "@aws-sdk/client-sqs";
import { newHeaders, type OutgoingMessage, type WireHeaders } from "@framework/messaging/adapter";

/** The one attribute that has key and headers: SQS allows ten attributes, and characters of XML in them. */
const ATTRIBUTE = "framework";
const attributeBytes = ATTRIBUTE.length + "String".length;
/** A body that has no characters: SQS takes none. */
const EMPTY = "=";

/** What SQS takes in a body. */
const PLAIN = /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]+$/u;

/** The attribute as JSON. */
interface Packed {
  readonly headers: WireHeaders;
  readonly key?: string;
  /** `true` when the body is base64. */
  readonly base64?: true;
  /** Tries made before. */
  readonly tries?: number;
  /** Of a copy: the id that SQS gave the original. */
  readonly id?: string;
}

/** A message as SQS stores it. */
export interface StoredMessage {
  readonly MessageBody: string;
  readonly MessageAttributes: Record<string, MessageAttributeValue>;
  /** As SQS counts them. */
  readonly bytes: number;
}

/** A message as it was sent. */
export interface ReadMessage {
  readonly key: string | null;
  readonly headers: WireHeaders;
  readonly body: string | Uint8Array;
  readonly tries: number;
  /** `undefined` for none. */
  readonly id: string | undefined;
}

/**
 * Encodes a message: bodies that are no text of SQS become base64, headers JSON in ASCII.
 *
 * @param copyOf id of the original; SQS gives the copy another one
 */
export const store = (
  { key, headers, body }: Pick<OutgoingMessage, "key" | "headers" | "body">,
  tries: number,
  copyOf?: string,
): StoredMessage => {
  const isPlain = typeof body === "string" && PLAIN.test(body);
  const MessageBody = isPlain ? body : base64Of(body);
  const packed: Packed = {
    headers,
    ...(key !== null && { key }),
    ...(!isPlain && { base64: true }),
    ...(tries > 0 && { tries }),
    ...(copyOf !== undefined && { id: copyOf }),
  };
  const StringValue = asciiOf(JSON.stringify(packed));
  return {
    MessageBody,
    MessageAttributes: { [ATTRIBUTE]: { DataType: "String", StringValue } },
    bytes: Buffer.byteLength(MessageBody) + attributeBytes + StringValue.length,
  };
};

/** Decodes a message; one of another system has its text attributes as headers. */
export const read = ({ Body = "", MessageAttributes = {}, Attributes, MessageId }: Message): ReadMessage => {
  const packed = parsed(MessageAttributes[ATTRIBUTE]?.StringValue);
  if (packed === null) {
    const headers = foreignHeaders(MessageAttributes);
    return { key: Attributes?.MessageGroupId ?? null, headers, body: Body, tries: 0, id: MessageId };
  }
  const { headers, key = null, base64 = false, tries = 0, id = MessageId } = packed;
  const body = base64 ? bytesOf(Body) : Body;
  return { key, headers: Object.assign(newHeaders(), headers), body, tries, id };
};

const base64Of = (body: string | Uint8Array): string => {
  const text = Buffer.from(typeof body === "string" ? Buffer.from(body) : body).toString("base64");
  return text === "" ? EMPTY : text;
};

const bytesOf = (text: string): Uint8Array =>
  Uint8Array.from(Buffer.from(text === EMPTY ? "" : text, "base64"));

const asciiOf = (json: string): string =>
  json.replaceAll(/[\u007F-\uFFFF]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** `null` for an attribute that this package has not written. */
const parsed = (text: string | undefined): Packed | null => {
  if (text === undefined) return null;
  try {
    const value = JSON.parse(text) as Partial<Record<keyof Packed, unknown>> | null;
    return isPacked(value) ? value : null;
  } catch {
    return null;
  }
};

const isPacked = (value: Partial<Record<keyof Packed, unknown>> | null): value is Packed =>
  typeof value === "object" &&
  value !== null &&
  isTexts(value.headers) &&
  (value.key === undefined || typeof value.key === "string") &&
  (value.base64 === undefined || value.base64 === true) &&
  (value.id === undefined || typeof value.id === "string") &&
  (value.tries === undefined || (Number.isSafeInteger(value.tries) && Number(value.tries) >= 0));

const isTexts = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((each) => typeof each === "string");

const foreignHeaders = (attributes: Readonly<Record<string, MessageAttributeValue>>): WireHeaders => {
  const headers = newHeaders();
  for (const name of Object.keys(attributes)) {
    const value = attributes[name]?.StringValue;
    if (value !== undefined) headers[name.toLowerCase()] = value;
  }
  return headers;
};
