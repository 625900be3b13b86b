import fc, { type Arbitrary } from "fast-check";

const SURROGATES = 0x800;
const FIRST_SURROGATE = 0xd800;
const CHARACTERS = 0x10f800; // without surrogates

const characterAt = (index: number): string =>
  String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES);

const indexOf = (value: unknown): number => {
  const point = typeof value === "string" && value.isWellFormed() ? (value.codePointAt(0) ?? -1) : -1;
  if (point < 0 || String.fromCodePoint(point) !== value) throw new Error("not one character");
  return point < FIRST_SURROGATE ? point : point - SURROGATES;
};

/**
 * Any Unicode character, with the values and the shrinking of fast-check's unit `binary`, which builds a map of
 * all 1,112,064 characters in each test file that uses it and so takes a second or more of CPU time.
 */
export const anyCharacter: Arbitrary<string> = fc.nat({ max: CHARACTERS - 1 }).map(characterAt, indexOf);

/** Any well-formed text. */
export const anyText: Arbitrary<string> = fc.string({ unit: anyCharacter });
