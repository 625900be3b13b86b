/** Returns the unique name of an identity: the wanted name, numbered from 2 if another identity has it. */
export type UniqueName = (
  wanted: string,
  ...identity: readonly (string | number | boolean | null)[]
) => string;

/**
 * Returns a function that creates unique names. Different parts of a document may get the same name: names are joined with dots but may contain dots, and
 * some characters are replaced. Duplicates are numbered in order.
 */
export const uniqueNames = (): UniqueName => {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  return (wanted, ...identity) => {
    const key = JSON.stringify(identity);
    const known = names.get(key);
    if (known !== undefined) return known;
    let name = wanted;
    for (let number = 2; taken.has(name); number++) name = `${wanted}-${number}`;
    names.set(key, name);
    taken.add(name);
    return name;
  };
};
