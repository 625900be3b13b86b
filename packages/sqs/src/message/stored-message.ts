import type { Message, MessageAttributeValue } from "@aws-sdk/client-sqs";
import { newHeaders, type OutgoingMessage, type WireHeaders } from "@framework/messaging/adapter";

/** Name of the attribute with key and headers. A single one, because SQS allows only ten. */
const ATTRIBUTE = "framework";
const attributeBytes = ATTRIBUTE.length + "String".length;
/** Replaces an empty body, which SQS refuses. */
const EMPTY = "=";

/** Characters that SQS accepts in a body. */
const PLAIN = /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]+$/u;

/** JSON of the attribute. */
interface AttributeContent {
  readonly headers: WireHeaders;
  readonly key?: string;
  /** `true` if the body is base64. */
  readonly base64?: true;
  /** Tries made so far. */
  readonly tries?: number;
  /** `MessageId` of the original, for a copy. */
  readonly id?: string;
}

/** A message in the format of SQS. */
export interface StoredMessage {
  readonly MessageBody: string;
  readonly MessageAttributes: Record<string, MessageAttributeValue>;
  /** Size of the message as counted by SQS. */
  readonly bytes: number;
}

/** A decoded message. */
export interface ReadMessage {
  readonly key: string | null;
  readonly headers: WireHeaders;
  readonly body: string | Uint8Array;
  readonly tries: number;
  /** `MessageId` of the message, or of the original if the message is a copy; `undefined` if there is none. */
  readonly id: string | undefined;
}

/**
 * Encodes a message: bodies with characters that SQS refuses become base64, headers become ASCII JSON.
 *
 * @param copyOf `MessageId` of the original, for a copy
 */
export const store = (
  { key, headers, body }: Pick<OutgoingMessage, "key" | "headers" | "body">,
  tries: number,
  copyOf?: string,
): StoredMessage => {
  const isPlain = typeof body === "string" && PLAIN.test(body);
  const MessageBody = isPlain ? body : base64Of(body);
  const packed: AttributeContent = {
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

/** Decodes a message. String attributes of other systems become headers. */
export const read = ({ Body = "", MessageAttributes = {}, Attributes, MessageId }: Message): ReadMessage => {
  const packed = parseAttribute(MessageAttributes[ATTRIBUTE]?.StringValue);
  if (packed === null) {
    const headers = attributeHeaders(MessageAttributes);
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

/** Parses the attribute; `null` if this package has not written it. */
const parseAttribute = (text: string | undefined): AttributeContent | null => {
  if (text === undefined) return null;
  try {
    const value = JSON.parse(text) as Partial<Record<keyof AttributeContent, unknown>> | null;
    return isAttributeContent(value) ? value : null;
  } catch {
    return null;
  }
};

const isAttributeContent = (
  value: Partial<Record<keyof AttributeContent, unknown>> | null,
): value is AttributeContent =>
  typeof value === "object" &&
  value !== null &&
  areStrings(value.headers) &&
  (value.key === undefined || typeof value.key === "string") &&
  (value.base64 === undefined || value.base64 === true) &&
  (value.id === undefined || typeof value.id === "string") &&
  (value.tries === undefined || (Number.isSafeInteger(value.tries) && Number(value.tries) >= 0));

const areStrings = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((each) => typeof each === "string");

const attributeHeaders = (attributes: Readonly<Record<string, MessageAttributeValue>>): WireHeaders => {
  const headers = newHeaders();
  for (const name of Object.keys(attributes)) {
    const value = attributes[name]?.StringValue;
    if (value !== undefined) headers[name.toLowerCase()] = value;
  }
  return headers;
};
