/** Returns the known names closest to a misspelt one, nearest first: at most one edit away for up to three letters, else two edits or a third of the length. */
export const nearest = (name: string, known: readonly string[], max = 3): string[] => {
  const reach = name.length <= 3 ? 1 : Math.max(2, Math.floor(name.length / 3));
  return known
    .map((candidate) => ({
      candidate,
      distance: editDistance(name.toLowerCase(), candidate.toLowerCase(), reach),
    }))
    .filter(({ distance }) => distance <= reach)
    .sort((a, b) => a.distance - b.distance || a.candidate.localeCompare(b.candidate))
    .slice(0, max)
    .map(({ candidate }) => candidate);
};

/**
 * Returns the number of edits (insert, delete, replace, swap two neighbours) between two words, or `reach + 1` as soon as they exceed `reach`.
 */
const editDistance = (a: string, b: string, reach: number): number => {
  if (Math.abs(a.length - b.length) > reach) return reach + 1;
  let before: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped = isSwap(a, b, row, column) ? at(before, column - 2) + 1 : Infinity;
      current.push(Math.min(replaced, swapped, at(previous, column) + 1, at(current, column - 1) + 1));
    }
    if (Math.min(...current, ...previous) > reach) return reach + 1;
    [before, previous] = [previous, current];
  }
  return at(previous, b.length);
};

const at = (row: readonly number[], column: number): number => row[column] ?? 0;

const isSwap = (a: string, b: string, row: number, column: number): boolean =>
  row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
