const TAB = 0x09;
const SPACE = 0x20;
const DEL = 0x7f;

/** Bytes that one read of a socket returns at most; of a longer chunk the rest is read byte by byte. */
const SIZE = 65_536;

/**
 * A copy of a chunk at an aligned address, so that four bytes can be looked at in one step. One serves all connections, since parsing is synchronous;
 * a chunk of a network read has any address, and a `DataView` of it costs more than the copy.
 */
const memory = new ArrayBuffer(SIZE);
const copy = new Uint8Array(memory);
const words = new Int32Array(memory);

/** Takes the bytes that `controlFrom` searches. */
export const loadWords = (bytes: Uint8Array): void =>
  copy.set(bytes.length > SIZE ? bytes.subarray(0, SIZE) : bytes);

/** Offset of the first byte from `start` on that no field value may have: a control character other than a tab; the length without one. */
export const controlFrom = (bytes: Uint8Array, start: number): number => {
  const { length } = bytes;
  let at = start;
  for (;;) {
    while ((at & 3) !== 0 && at < length && isText(bytes[at] as number)) at++;
    if ((at & 3) === 0) at = skipWords(at, length);
    const end = at + 4 < length ? at + 4 : length;
    while (at < end && isText(bytes[at] as number)) at++;
    if (at < end || at === length) return at;
  }
};

/**
 * Skips words without control characters, by arithmetic on four bytes at once: a byte below a blank borrows its highest bit, and DEL plus one has it. A
 * carry may stop at a valid word, never skip a bad one.
 */
const skipWords = (start: number, length: number): number => {
  const end = Math.min(length, SIZE) - 3;
  let at = start;
  for (; at < end; at += 4) {
    const word = words[at >> 2] as number;
    if (((word - 0x20202020) | (word + 0x01010101)) & ~word & 0x80808080) break;
  }
  return at;
};

const isText = (byte: number): boolean => (byte >= SPACE && byte !== DEL) || byte === TAB;
