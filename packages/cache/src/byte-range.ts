/** A part in bytes, both ends included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const single = /^bytes[ \t]*=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * The one part that a `Range` field asks for of `size` bytes (RFC 9110 14.1.2); `"unsatisfiable"` when it lies behind the end, `null` for anything that
 * is answered in full: several parts, other units, what is malformed.
 */
export const singleRange = (field: string, size: number): ByteRange | "unsatisfiable" | null => {
  const [, first = "", last = ""] = single.exec(field) ?? [];
  if (first === "" && last === "") return null;
  if (first === "") {
    const length = Number(last);
    if (length === 0) return "unsatisfiable";
    return size === 0 ? null : { start: Math.max(0, size - length), end: size - 1 };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return null;
  if (start >= size) return "unsatisfiable";
  return { start, end: last === "" ? size - 1 : Math.min(Number(last), size - 1) };
};
