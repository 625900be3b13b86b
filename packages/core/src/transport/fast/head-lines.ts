import { lastLoad } from "../../exchange/input-window.ts";

/** Lines whose beginnings are noted, a power of two; a head with more is searched for them. */
const MAX_NOTED = 128;

const noted = new Int32Array(MAX_NOTED);

/** Notes where a line of the head in the window begins; the last one is the empty line behind the fields. */
export const noteLine = (index: number, at: number): void => {
  noted[index & (MAX_NOTED - 1)] = at;
};

/**
 * Returns where each field of a head begins, and where the last one ends. Reading the head has found that, and a search for it takes 2,000 instructions.
 *
 * @param load number of the window's load that is the head
 * @param start offset of the first field
 * @param end offset behind the last field
 * @returns `null` where something else has been read since, or the head has too many fields
 */
export const notedLines = (load: number, start: number, end: number): number[] | null => {
  if (load !== lastLoad()) return null;
  const by = start - (noted[0] as number);
  const lines: number[] = [];
  for (let index = 0; index < MAX_NOTED; index++) {
    const at = (noted[index] as number) + by;
    lines.push(at);
    if (at === end) return lines;
  }
  return null;
};
