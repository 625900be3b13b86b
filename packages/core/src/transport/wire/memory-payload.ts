import { BodyStream, type Payload, utf8Length } from "../../exchange/payload.ts";

/** A body in memory. */
export type MemoryPayload = Exclude<Payload, BodyStream>;

/** Payloads of more bytes are written in slices, so that back-pressure applies and the write timeout sees progress. */
export const SLICE_ABOVE = 262_144;

/** Bytes of a body that is written at once; -1 for a long body, and for an invalid one. */
export const shortLength = (payload: MemoryPayload): number => {
  if (payload === null) return 0;
  let length = -1;
  if (typeof payload === "string") length = utf8Length(payload);
  else if (payload instanceof Uint8Array) length = payload.byteLength;
  return length > SLICE_ABOVE ? -1 : length;
};

/** Bytes as text, one character for each byte, to be joined with a head. */
export const bytesToText = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");

/** A long body as a `BodyWriter` takes it. */
export const toWriterBody = (payload: Payload): Uint8Array | BodyStream =>
  payload instanceof BodyStream || payload instanceof Uint8Array
    ? payload
    : new TextEncoder().encode(payload ?? "");
