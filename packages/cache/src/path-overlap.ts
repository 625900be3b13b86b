/** Whether a path can match both patterns; true if that is undecidable. */
export const canOverlap = (one: string, other: string): boolean => overlap(one.split("/"), other.split("/"));

const overlap = (one: readonly string[], other: readonly string[]): boolean => {
  for (let at = 0; ; at++) {
    const [a, b] = [one[at], other[at]];
    if (a === undefined || b === undefined) return a === b;
    if (a.startsWith("{*") || b.startsWith("{*")) return true;
    if (a !== b && !a.startsWith("{") && !b.startsWith("{")) return false;
  }
};
