/** Returns the lines of a tree of sorted paths: each folder once, followed by its files. */
export const treeLines = (paths: readonly string[], indent = ""): readonly string[] => {
  const groups = Map.groupBy(paths, (path) => path.split("/")[0] ?? "");
  return [...groups].flatMap(([name, members]) => {
    const inside = members.filter((path) => path !== name).map((path) => path.slice(name.length + 1));
    return inside.length === 0 ? [indent + name] : [`${indent}${name}/`, ...treeLines(inside, `${indent}  `)];
  });
};
