/** Returns the name of what has this identity: the wanted one, with a number from 2 on where another has it. */
export type UniqueName = (
  wanted: string,
  ...identity: readonly (string | number | boolean | null)[]
) => string;

/**
 * Names are joined with dots and may hold dots themselves, and some characters of types are replaced: different parts of a document may want one name. They are
 * numbered in the order they come.
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
