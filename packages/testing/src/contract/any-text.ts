import type { Arbitrary } from "fast-check";
import type { FastCheck } from "./peers.ts";

/** Code points of UTF-16 surrogates, which are not characters. */
const surrogates = { from: 0xd800, count: 0x800 };

const LAST = 0x10ffff;

/**
 * Generates strings of any characters, like fast-check's unit `"binary"`, whose first use builds a map of all 1.1 million characters:
 * most of the run time of a short test.
 */
export const anyText = (
  fc: FastCheck,
  length: { readonly minLength: number; readonly maxLength: number },
): Arbitrary<string> => fc.string({ ...length, unit: character(fc) });

const character = (fc: FastCheck): Arbitrary<string> =>
  fc.nat({ max: LAST - surrogates.count }).map(
    (index) => String.fromCodePoint(index < surrogates.from ? index : index + surrogates.count),
    (text) => {
      const [only, ...others] = typeof text === "string" ? text : [];
      const point = only?.codePointAt(0);
      if (point === undefined || others.length > 0 || !only?.isWellFormed())
        throw new Error("not a character");
      return point < surrogates.from ? point : point - surrogates.count;
    },
  );
