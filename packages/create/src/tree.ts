/** Returns sorted paths as a tree, a line each: folders once, their files below them. */
export const treeLines = (paths: readonly string[], indent = ""): readonly string[] => {
  const groups = Map.groupBy(paths, (path) => path.split("/")[0] ?? "");
  return [...groups].flatMap(([name, members]) => {
    const inside = members.filter((path) => path !== name).map((path) => path.slice(name.length + 1));
    return inside.length === 0 ? [indent + name] : [`${indent}${name}/`, ...treeLines(inside, `${indent}  `)];
  });
};
