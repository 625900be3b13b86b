import type { NewRow } from "@framework/durable/feature";
import { newHeaders } from "../envelope/event.ts";
import type { ConsumerOptions } from "../port/broker-adapter.ts";
import type { OutgoingMessage, WireHeaders } from "../port/delivery.ts";

/** Headers that only the stored form of a message has. */
const KEY = "framework-key";
const ENCODING = "framework-encoding";

/** Returns the row of a message for a group. A JSON body that is a string is stored as it is, so that operators can read it; any other body as base64. */
export const toRow = (message: OutgoingMessage, ordering: ConsumerOptions["order"]): NewRow => {
  const { body, key } = message;
  const headers = Object.assign(newHeaders(), message.headers);
  if (key !== null) headers[KEY] = key;
  const isText = typeof body === "string" && isJson(headers["content-type"]);
  if (!isText) headers[ENCODING] = "base64";
  return {
    key: orderKey(key, ordering),
    uniqueKey: null,
    priority: 0,
    delayMs: Math.ceil(message.delayMs),
    runAt: null,
    payload: isText ? body : JSON.stringify(Buffer.from(body).toString("base64")),
    headers: JSON.stringify(headers),
  };
};

/** Returns the key that orders rows; with `partition` all rows of a topic share one. */
const orderKey = (key: string | null, ordering: ConsumerOptions["order"]): string | null => {
  if (ordering === "none") return null;
  return ordering === "key" ? key : "*";
};

const isJson = (type: string | undefined): boolean =>
  type !== undefined && /^application\/(?:[\w.-]+\+)?json\b/.test(type);

/** Key, headers and body of a message, as read from a row. */
export interface StoredMessage {
  readonly key: string | null;
  readonly headers: WireHeaders;
  readonly body: string | Uint8Array;
}

/** Reads a message from its row. */
export const fromRow = (payload: string, stored: Readonly<Record<string, string>>): StoredMessage => {
  const headers = newHeaders();
  for (const name in stored) if (name !== KEY && name !== ENCODING) headers[name] = stored[name] ?? "";
  const key = stored[KEY] ?? null;
  const isBase64 = stored[ENCODING] === "base64";
  return {
    key,
    headers,
    body: isBase64 ? new Uint8Array(Buffer.from(JSON.parse(payload) as string, "base64")) : payload,
  };
};
