/** Size of the window in bytes. */
export const WINDOW_SIZE = 65_536;

/**
 * Memory from which input is parsed: at a fixed, aligned address, and followed by a NUL, so that a delimiter search needs no bounds check and four bytes
 * are compared in one step. One window serves all connections and bodies, because parsing is synchronous. 128 more bytes allow comparisons beyond the end.
 */
export const windowMemory: ArrayBuffer = new ArrayBuffer(WINDOW_SIZE + 128);

const window = new Uint8Array(windowMemory);

let loads = 0;

/** Returns the number of the last load. The loaded bytes stay in the window until it changes. */
export const lastLoad = (): number => loads;

/** Loads up to `size` bytes from `start` on. Returns the number of bytes loaded. */
export const loadWindow = (bytes: Uint8Array, start: number, size: number): number => {
  const length = Math.min(bytes.length - start, size);
  window.set(length === bytes.length ? bytes : bytes.subarray(start, start + length));
  window[length] = 0;
  loads++;
  return length;
};

/** Returns the index of the first marked byte of four. @param bits has the highest bit of each marked byte */
export const lowestIn = (bits: number): number => (31 - Math.clz32(bits & -bits)) >> 3;

const { fromCharCode } = String;
const decoder = new TextDecoder();

/** Decodes text in the window: a `Buffer` where the runtime has one, because its conversion is faster. */
const buffer: Pick<Buffer, "toString"> = (globalThis as { Buffer?: typeof Buffer }).Buffer?.from(
  windowMemory,
) ?? {
  toString: (_encoding, start, end) => decoder.decode(window.subarray(start, end)),
};

/**
 * Returns loaded ASCII bytes as a string. A short string is built from character codes, because a native conversion takes about 600 instructions. The codes
 * are read inline: V8 would not inline so many calls.
 */
export const textAt = (start: number, end: number): string => {
  switch (end - start) {
    case 0:
      return "";
    case 1:
      return fromCharCode(window[start] as number);
    case 2:
      return fromCharCode(window[start] as number, window[start + 1] as number);
    case 3:
      return fromCharCode(window[start] as number, window[start + 1] as number, window[start + 2] as number);
    case 4:
      return fromCharCode(
        window[start] as number,
        window[start + 1] as number,
        window[start + 2] as number,
        window[start + 3] as number,
      );
    case 5:
      return fromCharCode(
        window[start] as number,
        window[start + 1] as number,
        window[start + 2] as number,
        window[start + 3] as number,
        window[start + 4] as number,
      );
    case 6:
      return fromCharCode(
        window[start] as number,
        window[start + 1] as number,
        window[start + 2] as number,
        window[start + 3] as number,
        window[start + 4] as number,
        window[start + 5] as number,
      );
    case 7:
      return fromCharCode(
        window[start] as number,
        window[start + 1] as number,
        window[start + 2] as number,
        window[start + 3] as number,
        window[start + 4] as number,
        window[start + 5] as number,
        window[start + 6] as number,
      );
    case 8:
      return fromCharCode(
        window[start] as number,
        window[start + 1] as number,
        window[start + 2] as number,
        window[start + 3] as number,
        window[start + 4] as number,
        window[start + 5] as number,
        window[start + 6] as number,
        window[start + 7] as number,
      );
    case 9:
      return fromCharCode(
        window[start] as number,
        window[start + 1] as number,
        window[start + 2] as number,
        window[start + 3] as number,
        window[start + 4] as number,
        window[start + 5] as number,
        window[start + 6] as number,
        window[start + 7] as number,
        window[start + 8] as number,
      );
    case 10:
      return fromCharCode(
        window[start] as number,
        window[start + 1] as number,
        window[start + 2] as number,
        window[start + 3] as number,
        window[start + 4] as number,
        window[start + 5] as number,
        window[start + 6] as number,
        window[start + 7] as number,
        window[start + 8] as number,
        window[start + 9] as number,
      );
    case 11:
      return fromCharCode(
        window[start] as number,
        window[start + 1] as number,
        window[start + 2] as number,
        window[start + 3] as number,
        window[start + 4] as number,
        window[start + 5] as number,
        window[start + 6] as number,
        window[start + 7] as number,
        window[start + 8] as number,
        window[start + 9] as number,
        window[start + 10] as number,
      );
    case 12:
      return fromCharCode(
        window[start] as number,
        window[start + 1] as number,
        window[start + 2] as number,
        window[start + 3] as number,
        window[start + 4] as number,
        window[start + 5] as number,
        window[start + 6] as number,
        window[start + 7] as number,
        window[start + 8] as number,
        window[start + 9] as number,
        window[start + 10] as number,
        window[start + 11] as number,
      );
    default:
      return buffer.toString(undefined, start, end); // `undefined`: the name of an encoding would be looked up
  }
};
