/** A part of a file in bytes, both ends included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Parts that one request gets; with more it gets the whole file. */
export const maxRanges = 10;

/** First and last position; a suffix has no first, what goes up to the end no last. */
const position = /^(\d*)-(\d*)$/;

/**
 * The parts that a `Range` field asks for of `size` bytes (RFC 9110 14.1.2), in the order asked for, those that overlap or touch merged into one.
 *
 * @returns `null` when the whole file is the answer: another unit, a malformed field, more than 10 parts, the end of an empty file; an empty list when
 * every part lies behind the end
 */
export const byteRanges = (field: string, size: number): readonly ByteRange[] | null => {
  const equals = field.indexOf("=");
  if (field.slice(0, Math.max(0, equals)).trim().toLowerCase() !== "bytes") return null;
  const found: ByteRange[] = [];
  let count = 0;
  for (const element of field.slice(equals + 1).split(",")) {
    const text = element.replace(/^[ \t]+|[ \t]+$/g, "");
    if (text === "") continue;
    count++;
    const range = rangeOf(text, size);
    if (range === null) return null;
    if (range.start < size && range.end >= range.start) found.push(range);
  }
  if (count === 0) return null;
  const merged = merge(found);
  return merged.length > maxRanges ? null : merged;
};

/** One part, with its end behind its start when nothing is there; `null` for what asks for no part. */
const rangeOf = (text: string, size: number): ByteRange | null => {
  const [, first = "", last = ""] = position.exec(text) ?? [];
  if (first === "") {
    if (last === "" || (size === 0 && Number(last) > 0)) return null;
    return { start: Math.max(0, size - Number(last)), end: Number(last) === 0 ? -1 : size - 1 };
  }
  if (last !== "" && Number(last) < Number(first)) return null;
  return { start: Number(first), end: Math.min(last === "" ? Infinity : Number(last), size - 1) };
};

const merge = (ranges: readonly ByteRange[]): readonly ByteRange[] => {
  const merged: { start: number; end: number; place: number }[] = [];
  const byStart = ranges
    .map(({ start, end }, place) => ({ start, end, place }))
    .sort((one, other) => one.start - other.start);
  for (const range of byStart) {
    const last = merged.at(-1);
    if (last === undefined || range.start > last.end + 1) {
      merged.push(range);
      continue;
    }
    last.end = Math.max(last.end, range.end);
    last.place = Math.min(last.place, range.place);
  }
  return merged.sort((one, other) => one.place - other.place).map(({ start, end }) => ({ start, end }));
};
