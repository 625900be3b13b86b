import { lowestIn, windowMemory } from "../../exchange/input-window.ts";

const SPACE = 0x20;
const DEL = 0x7f;
const TAB = 0x09;

/** Number of bytes that are loaded first: most heads are shorter, and a chunk with many heads is not copied for each head. */
export const SHORT_WINDOW = 4096;

// The size of the window limits the heads that the fast path reads.
export { loadWindow, WINDOW_SIZE as LONG_WINDOW } from "../../exchange/input-window.ts";

const window = new Uint8Array(windowMemory);
const view = new DataView(windowMemory);

export const byteAt = (at: number): number => window[at] as number;

/** Four bytes as a number, comparable with `fourOf`. One comparison replaces a loop, which takes 20 instructions for each byte. */
export const fourAt = (at: number): number => view.getInt32(at);

/** Like `fourAt`, in lower case. Exact for letters and hyphens: `| 0x20` maps no other byte of names and values to them. */
export const lowerFourAt = (at: number): number => view.getInt32(at) | 0x20202020;

/** Packs four characters of a string, from `at` on, like `fourAt`. */
export const fourOf = (text: string, at = 0): number =>
  (text.charCodeAt(at) << 24) |
  (text.charCodeAt(at + 1) << 16) |
  (text.charCodeAt(at + 2) << 8) |
  text.charCodeAt(at + 3);

/** Number of leading characters of `text` that match the window at `start`. */
export const matchLength = (start: number, text: string): number => {
  let count = 0;
  while (count < text.length && window[start + count] === text.charCodeAt(count)) count++;
  return count;
};

const TOKEN = 1;
const TARGET = 2;
const PLAIN = 4;

/** For each byte, the parts of a head in which it may occur. */
const classes: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  const visible = byte > SPACE && byte < DEL;
  return (
    (/[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte)) ? TOKEN : 0) |
    (visible && byte !== 0x23 ? TARGET : 0) |
    (visible && !/[#%.?]/.test(String.fromCharCode(byte)) ? PLAIN : 0)
  );
});

/** Offset of the first byte from `start` on that is invalid in a field name. */
export const tokenEnd = (start: number): number => {
  let at = start;
  while (((classes[window[at] as number] as number) & TOKEN) !== 0) at++;
  return at;
};

/** Offset of the first byte from `start` on that ends a target or may begin an escape, a query or a dot segment. */
export const plainEnd = (start: number): number => {
  let at = start;
  while (((classes[window[at] as number] as number) & PLAIN) !== 0) at++;
  return at;
};

/** Offset of the first byte from `start` on that is invalid in a request target of the fast path. */
export const targetEnd = (start: number): number => {
  let at = start;
  while (((classes[window[at] as number] as number) & TARGET) !== 0) at++;
  return at;
};

export const blanksEnd = (start: number): number => {
  let at = start;
  while (isBlank(window[at] as number)) at++;
  return at;
};

export const isBlank = (byte: number): boolean => byte === SPACE || byte === TAB;

/** Offset of the first byte from `start` on that is invalid in a field value: a control character other than a tab. */
export const textEnd = (start: number): number => {
  let at = start;
  for (;;) {
    const controls = controlsIn(view.getInt32(at, true));
    if (controls === 0) at += 4;
    else {
      at += lowestIn(controls);
      if (!isText(window[at] as number)) return at;
      at++;
    }
  }
};

/**
 * Marks, by their highest bits, the control characters among four bytes. Two operations test all four: a byte below 0x20 borrows from its highest bit, and
 * DEL plus one sets it. A carry may mark other bytes, but misses none, and no control character is before the lowest mark.
 */
const controlsIn = (four: number): number => ((four - 0x20202020) | (four + 0x01010101)) & ~four & 0x80808080;

const isText = (byte: number): boolean => (byte >= SPACE && byte !== DEL) || byte === TAB;
