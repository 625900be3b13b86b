/**
 * Returns the selected names.
 *
 * @param kind subject of the names, such as `part`
 * @throws Error for an unknown name, which would otherwise select nothing
 */
export const selectNames = <N extends string>(
  kind: string,
  names: readonly string[],
  known: readonly N[],
): readonly N[] =>
  names.map((name) => {
    const found = known.find((each) => each === name);
    if (found === undefined) throw new Error(`unknown ${kind} ${name}; ${kind}s: ${known.join(", ")}`);
    return found;
  });

/** Returns the named parts of a benchmark in the order of the names, or all parts without names. @throws Error for an unknown name */
export const selectParts = <T>(
  parts: Readonly<Record<string, T>>,
  names: readonly string[],
  kind = "part",
): readonly (readonly [name: string, part: T])[] => {
  const entries = Object.entries(parts);
  if (names.length === 0) return entries;
  return selectNames(kind, names, Object.keys(parts)).flatMap((name) =>
    entries.filter(([each]) => each === name),
  );
};
