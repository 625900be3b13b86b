/** The known names that a misspelt one may have meant, nearest first: at most two edits away, or a third of its length. */
export const nearest = (name: string, known: readonly string[], most = 3): string[] => {
  const reach = Math.max(2, Math.floor(name.length / 3));
  return known
    .map((candidate) => ({
      candidate,
      distance: editDistance(name.toLowerCase(), candidate.toLowerCase(), reach),
    }))
    .filter(({ distance }) => distance <= reach)
    .sort((a, b) => a.distance - b.distance || a.candidate.localeCompare(b.candidate))
    .slice(0, most)
    .map(({ candidate }) => candidate);
};

/** Edits (insert, delete, replace) between two words, given up as `reach + 1` once they cannot be within reach. */
const editDistance = (a: string, b: string, reach: number): number => {
  if (Math.abs(a.length - b.length) > reach) return reach + 1;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    if (Math.min(...current) > reach) return reach + 1;
    previous = current;
  }
  return previous[b.length] ?? 0;
};
