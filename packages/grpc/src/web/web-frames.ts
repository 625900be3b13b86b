import { GrpcError } from "../status/grpc-error.ts";

/** Bytes of the prefix of each frame: flags and length. */
const PREFIX = 5;
const COMPRESSED = 0x01;
const TRAILERS = 0x80;

/** Reads the single message of a gRPC-Web request. @throws GrpcError for anything but exactly one whole, uncompressed message */
export const readFrame = (body: Uint8Array, maxBytes: number): Uint8Array => {
  if (body.length < PREFIX) throw new GrpcError("INTERNAL", "The request has no message");
  const flags = body[0] ?? 0;
  const length = new DataView(body.buffer, body.byteOffset, body.byteLength).getUint32(1);
  if (length > maxBytes)
    throw new GrpcError("RESOURCE_EXHAUSTED", `Received message larger than max (${length} vs. ${maxBytes})`);
  if ((flags & COMPRESSED) !== 0)
    throw new GrpcError("UNIMPLEMENTED", "Compressed messages are not supported over gRPC-Web");
  if (flags !== 0 || body.length !== PREFIX + length)
    throw new GrpcError("INTERNAL", "The request is not one message");
  return body.subarray(PREFIX);
};

/** Frames a message. */
export const messageFrame = (message: Uint8Array): Uint8Array<ArrayBuffer> => frame(0, message);

/** Frames the trailers, as HTTP/1.1 lines in the last frame of the body. */
export const trailersFrame = (
  fields: Iterable<readonly [name: string, value: string]>,
): Uint8Array<ArrayBuffer> => {
  const lines = Array.from(fields, ([name, value]) => `${name}: ${value}\r\n`);
  return frame(TRAILERS, new TextEncoder().encode(lines.join("")));
};

const frame = (flags: number, content: Uint8Array): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(PREFIX + content.length);
  bytes[0] = flags;
  new DataView(bytes.buffer).setUint32(1, content.length);
  bytes.set(content, PREFIX);
  return bytes;
};
