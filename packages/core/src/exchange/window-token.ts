import { windowMemory } from "./input-window.ts";

const view = new DataView(windowMemory);

/** A string packed into 32-bit integers of four characters each, little-endian. The last four characters may overlap the preceding ones. */
export interface Token {
  readonly first: number;
  /** The integers between the first and the last one. */
  readonly fours: readonly number[];
  readonly end: number;
  /** Offset of the last four characters. */
  readonly last: number;
  readonly length: number;
}

/** Packs a string of at least four ASCII characters. */
export const tokenOf = (text: string): Token => {
  const { length } = text;
  const last = length - 4;
  const between = Math.max(0, Math.ceil(last / 4) - 1);
  const fours = Array.from({ length: between }, (_, index) => fourOf(text, 4 * index + 4));
  return { first: fourOf(text, 0), fours, end: fourOf(text, last), last, length };
};

const fourOf = (text: string, at: number): number =>
  text.charCodeAt(at) |
  (text.charCodeAt(at + 1) << 8) |
  (text.charCodeAt(at + 2) << 16) |
  (text.charCodeAt(at + 3) << 24);

/** Whether the window has a token at an offset. */
export const isAt = ({ first, fours, end, last }: Token, at: number): boolean => {
  if (view.getInt32(at, true) !== first || view.getInt32(at + last, true) !== end) return false;
  for (let index = 0; index < fours.length; index++) {
    if (view.getInt32(at + 4 * index + 4, true) !== fours[index]) return false;
  }
  return true;
};
