import { BodyStream, type Payload } from "../../exchange/payload.ts";

/** A body that is not streamed. */
export type MemoryPayload = Exclude<Payload, BodyStream>;

/** Payloads above this are written in slices, so that a client that does not read is felt and a slow one seen to make progress. */
export const sliceAbove = 262_144;

/** Held here, because the global is a getter that every look calls; a runtime without it never writes to a socket. */
const byteLength = (globalThis as { Buffer?: typeof Buffer }).Buffer?.byteLength as typeof Buffer.byteLength;

/** Bytes of a body that goes out at once; -1 for one that is long, or none at all. */
export const shortLength = (payload: MemoryPayload): number => {
  if (payload === null) return 0;
  let length = -1;
  if (typeof payload === "string") length = byteLength(payload);
  else if (payload instanceof Uint8Array) length = payload.byteLength;
  return length > sliceAbove ? -1 : length;
};

/** Bytes as text, one character each, to be joined with a head. */
export const bytesToText = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");

/** A long body in the shape that a body writer takes. */
export const toWriterBody = (payload: Payload): Uint8Array | BodyStream =>
  payload instanceof BodyStream || payload instanceof Uint8Array
    ? payload
    : new TextEncoder().encode(payload ?? "");
