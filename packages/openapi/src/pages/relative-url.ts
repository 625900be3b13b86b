/** Returns a relative URL from one path to another, which stays valid if a proxy adds a prefix to both. */
export const relativeUrl = (from: string, to: string): string => {
  const folders = from.split("/").slice(1, -1);
  const target = to.split("/").slice(1);
  let shared = 0;
  while (shared < folders.length && shared < target.length - 1 && folders[shared] === target[shared])
    shared++;
  return `${"../".repeat(folders.length - shared) || "./"}${target.slice(shared).join("/")}`;
};
