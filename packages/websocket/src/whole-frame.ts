import { Buffer } from "node:buffer"; // the global `Buffer` is a getter, which costs as much as the rest of this function

/** Payloads up to this size are copied after their frame header, which is cheaper than two writes; `ws` sends longer ones. */
export const MAX_WHOLE_BYTES = 4096;

const TEXT = 0x81;
const BINARY = 0x82;
/** Payloads from this size on have a two-byte length. */
const LONG = 126;

/** Creates one unmasked, final frame (RFC 6455 5.2) in one buffer. @param size bytes of the payload, at most `MAX_WHOLE_BYTES` */
export const wholeFrame = (data: string | Uint8Array, size: number, binary: boolean): Buffer => {
  const head = size < LONG ? 2 : 4;
  const frame = Buffer.allocUnsafe(head + size);
  frame[0] = binary ? BINARY : TEXT;
  frame[1] = size < LONG ? size : LONG;
  if (head === 4) frame.writeUInt16BE(size, 2);
  if (typeof data === "string") frame.write(data, head, "utf8");
  else frame.set(data, head);
  return frame;
};
