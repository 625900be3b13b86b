import { BodyStream, type Payload, utf8Length } from "../../exchange/payload.ts";

/** A body in memory. */
export type MemoryPayload = Exclude<Payload, BodyStream>;

/** Payloads with more bytes are written in slices, so that backpressure applies and the write timeout sees progress. */
export const SLICE_ABOVE = 262_144;

/** Returns the number of bytes of a short body, which is written at once; -1 for a long or invalid body. */
export const shortLength = (payload: MemoryPayload): number => {
  if (payload === null) return 0;
  let length = -1;
  if (typeof payload === "string") length = utf8Length(payload);
  else if (payload instanceof Uint8Array) length = payload.byteLength;
  return length > SLICE_ABOVE ? -1 : length;
};

/** Returns bytes as text, one character for each byte, to join them with a head. */
export const bytesToText = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");

/** Converts a long body to the argument of `BodyWriter`. */
export const toWriterBody = (payload: Payload): Uint8Array | BodyStream =>
  payload instanceof BodyStream || payload instanceof Uint8Array
    ? payload
    : new TextEncoder().encode(payload ?? "");
