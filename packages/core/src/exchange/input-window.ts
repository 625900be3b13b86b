/** Bytes that the window has room for. */
export const WINDOW_SIZE = 65_536;

/**
 * Memory that input is read from: at a fixed, aligned address, with a NUL behind it. A search for what ends a part of it needs no look at the length, and
 * four bytes are checked in one step. One serves all connections and bodies, since reading is synchronous; it ends with room for a comparison of 128 bytes.
 */
export const windowMemory: ArrayBuffer = new ArrayBuffer(WINDOW_SIZE + 128);

const window = new Uint8Array(windowMemory);

let loads = 0;

/** Number of the last load: what was loaded is there until it changes. */
export const lastLoad = (): number => loads;

/** Loads up to `size` bytes from `start` on and returns how many those are. */
export const loadWindow = (bytes: Uint8Array, start: number, size: number): number => {
  const length = Math.min(bytes.length - start, size);
  window.set(length === bytes.length ? bytes : bytes.subarray(start, start + length));
  window[length] = 0;
  loads++;
  return length;
};

/** Which of four bytes has the lowest of these highest bits, 0 for the first byte. */
export const lowestIn = (bits: number): number => (31 - Math.clz32(bits & -bits)) >> 3;

const { fromCharCode } = String;
const buffer = Buffer.from(windowMemory);

/**
 * Loaded bytes of ASCII as text. Short ones are made of their characters, since a call for the bytes as a string takes some 600 instructions. They are read
 * here, one by one: V8 would not make so many calls part of this function.
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
      return buffer.toString(undefined, start, end); // named encodings are looked up
  }
};
