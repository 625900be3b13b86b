import { trimBlanks } from "./field-grammar.ts";

/** A part of a body in bytes: `start` to `end`, both included. */
export interface ByteRange {
  /** First byte, counted from 0. */
  readonly start: number;
  /** Last byte, inclusive. */
  readonly end: number;
}

/** Meaning of a `Range` field: parts of the body, no existing part, or (`whole`) the complete body. */
export type RequestedRanges = readonly ByteRange[] | "unsatisfiable" | "whole";

/** Maximum number of parts; a request for more gets the complete body. */
export const MAX_RANGES = 10;

/**
 * Parses a `Range` field for a body of `size` bytes (RFC 9110 14.1.2 and 14.2).
 *
 * Parts that overlap or touch are merged; the others keep the order of the field. The result is `whole` for an absent field, more than 10 merged
 * parts, another unit, a malformed field, and a suffix of an empty body.
 */
export const byteRanges = (field: string | null | undefined, size: number): RequestedRanges => {
  const specs = field === null || field === undefined ? null : readSpecs(field);
  if (specs === null) return "whole";
  const satisfiable: ByteRange[] = [];
  for (const { first, last } of specs) {
    const range = first === null ? suffix(last ?? 0, size) : clamp(first, last, size);
    if (range === "whole") return "whole";
    if (range !== null) satisfiable.push(range);
  }
  if (satisfiable.length === 0) return "unsatisfiable";
  const ranges = merge(satisfiable);
  return ranges.length > MAX_RANGES ? "whole" : ranges;
};

interface RangeSpec {
  /** `null` for a suffix, whose length is `last`. */
  readonly first: number | null;
  readonly last: number | null;
}

const readSpecs = (field: string): RangeSpec[] | null => {
  const equals = field.indexOf("=");
  if (equals === -1 || trimBlanks(field.slice(0, equals)).toLowerCase() !== "bytes") return null;
  const specs: RangeSpec[] = [];
  for (const part of field.slice(equals + 1).split(",")) {
    const text = trimBlanks(part);
    if (text === "") continue;
    const [, first = "", last = ""] = /^(\d*)-(\d*)$/.exec(text) ?? [];
    if (first === "" && last === "") return null;
    if (first !== "" && last !== "" && Number(first) > Number(last)) return null;
    specs.push({ first: first === "" ? null : Number(first), last: last === "" ? null : Number(last) });
  }
  return specs.length === 0 ? null : specs;
};

const suffix = (length: number, size: number): ByteRange | "whole" | null => {
  if (length === 0) return null;
  return size === 0 ? "whole" : { start: Math.max(0, size - length), end: size - 1 };
};

const clamp = (first: number, last: number | null, size: number): ByteRange | null =>
  first >= size ? null : { start: first, end: Math.min(last ?? Infinity, size - 1) };

/** Merges parts that overlap or touch; a merged part has the position of its first part. */
const merge = (ranges: readonly ByteRange[]): ByteRange[] => {
  const merged: { start: number; end: number; index: number }[] = [];
  const sorted = ranges.map((range, index) => ({ ...range, index })).sort((a, b) => a.start - b.start);
  for (const range of sorted) {
    const previous = merged.at(-1);
    if (previous === undefined || range.start > previous.end + 1) merged.push(range);
    else {
      previous.end = Math.max(previous.end, range.end);
      previous.index = Math.min(previous.index, range.index);
    }
  }
  return merged.sort((a, b) => a.index - b.index).map(({ start, end }) => ({ start, end }));
};
