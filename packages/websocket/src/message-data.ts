import { types } from "node:util";
import { badMessage } from "./bad-message.ts";
import type { Message } from "./message.ts";

/** Payload of a binary message. */
export type Bytes = Uint8Array | ArrayBufferView | ArrayBufferLike;

/** Whether a value is binary data. A parsed object of a client may have a `byteLength`; a frame of that size would expose memory of the process. */
export const isBytes = (value: unknown): value is Bytes =>
  ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value);

/** Returns the string. @throws WEBSOCKET_BAD_MESSAGE for other values */
export const textOf = (value: string): string => {
  if (typeof value === "string") return value;
  throw badMessage("sendText takes a string", value, "; sendJson sends any value as JSON");
};

/** Returns the bytes of a view or an `ArrayBuffer`, without a copy. @throws WEBSOCKET_BAD_MESSAGE for other values */
export const bytesOf = (value: Bytes): Uint8Array => {
  if (value instanceof Uint8Array) return value;
  if (!isBytes(value)) throw badMessage("sendBinary takes bytes, such as a Uint8Array", value);
  return ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value);
};

/** Returns the bytes of a forwarded message. @throws WEBSOCKET_BAD_MESSAGE for other values */
export const bytesOfMessage = (message: Message): Uint8Array => {
  const data = (message as Partial<Message> | null | undefined)?.data;
  if (isBytes(data)) return bytesOf(data);
  throw badMessage("send takes a string, bytes or a message of the client", message);
};
