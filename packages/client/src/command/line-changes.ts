const MAX_LINES = 20;

/** Returns at most 20 lines that differ between two texts, with `-` and `+`, then the number of further ones. Moved lines are not listed. */
export const lineChanges = (before: string, after: string): string[] => {
  const [old, current] = [before.split("\n"), after.split("\n")];
  const [oldLines, currentLines] = [new Set(old), new Set(current)];
  const changes = [
    ...old.filter((line) => !currentLines.has(line)).map((line) => `- ${line}`),
    ...current.filter((line) => !oldLines.has(line)).map((line) => `+ ${line}`),
  ];
  const rest = changes.length - MAX_LINES;
  return rest > 0 ? [...changes.slice(0, MAX_LINES), `… ${rest} more lines`] : changes;
};
