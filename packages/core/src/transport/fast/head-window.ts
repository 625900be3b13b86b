import { lowestIn, windowMemory } from "../../exchange/input-window.ts";

const SPACE = 0x20;
const DEL = 0x7f;
const TAB = 0x09;

/** Bytes that are loaded at first: most heads are shorter, and a chunk with many of them is not copied for each one. */
export const SHORT_WINDOW = 4096;

// The bytes that are loaded at most are the longest head that the fast path reads.
export { loadWindow, WINDOW_SIZE as LONG_WINDOW } from "../../exchange/input-window.ts";

const window = new Uint8Array(windowMemory);
const view = new DataView(windowMemory);

export const byteAt = (at: number): number => window[at] as number;

/** Four bytes as one number, as `fourOf` makes it of their text. They are compared in one step where a loop takes 20 instructions for each. */
export const fourAt = (at: number): number => view.getInt32(at);

/** The same in lower case. Exact for letters and hyphens among bytes of names and values: `| 0x20` maps no other byte of these to them. */
export const lowerFourAt = (at: number): number => view.getInt32(at) | 0x20202020;

/** The number of the four characters of a text from `at` on. */
export const fourOf = (text: string, at = 0): number => Buffer.from(text, "latin1").readInt32BE(at);

/** How many characters at the beginning of `text` the loaded bytes continue with. */
export const matching = (start: number, text: string): number => {
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

/** Offset of the first byte from `start` on that no field name may have. */
export const tokenEnd = (start: number): number => {
  let at = start;
  while (((classes[window[at] as number] as number) & TOKEN) !== 0) at++;
  return at;
};

/** Offset of the first byte from `start` on that ends a target, escapes in it, or may begin a query or a dot segment. */
export const plainEnd = (start: number): number => {
  let at = start;
  while (((classes[window[at] as number] as number) & PLAIN) !== 0) at++;
  return at;
};

/** Offset of the first byte from `start` on that no request target of the fast path may have. */
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

/** Offset of the first byte from `start` on that no field value may have: a control character other than a tab. */
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
 * The highest bits of the control characters among four bytes, by arithmetic on all at once: a byte below a blank borrows its highest bit, and DEL plus one
 * has it. A carry may find a byte that is none, never miss one; what is below the lowest one found has none.
 */
const controlsIn = (four: number): number => ((four - 0x20202020) | (four + 0x01010101)) & ~four & 0x80808080;

const isText = (byte: number): boolean => (byte >= SPACE && byte !== DEL) || byte === TAB;
