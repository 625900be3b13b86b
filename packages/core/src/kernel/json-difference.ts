/** Whether `output` equals `value`, which was parsed from JSON; the order of members does not matter. */
export const isSameJson = (value: unknown, output: unknown): boolean => {
  if (value === output) return true;
  if (typeof value !== "object" || typeof output !== "object" || value === null || output === null)
    return false;
  if (Array.isArray(value)) {
    return (
      Array.isArray(output) &&
      value.length === output.length &&
      value.every((item, index) => isSameJson(item, output[index]))
    );
  }
  if (!isPlain(output)) return false;
  const names = Object.keys(value);
  return (
    names.length === Object.keys(output).length &&
    names.every(
      (name) => Object.hasOwn(output, name) && isSameJson(memberOf(value, name), memberOf(output, name)),
    )
  );
};

/** Maximum of members in one message. */
const MAX_NAMED = 10;

/** Names members of `value` that `output` lacks, such as `user.password`; at most ten. */
export const removedMembers = (value: unknown, output: unknown): readonly string[] => {
  const removed: string[] = [];
  const compare = (from: unknown, to: unknown, path: string): void => {
    if (removed.length >= MAX_NAMED || typeof from !== "object" || typeof to !== "object") return;
    if (from === null || to === null) return;
    for (const name of Object.keys(from)) {
      if (removed.length >= MAX_NAMED) return;
      const at = path === "" ? name : `${path}.${name}`;
      if (Object.hasOwn(to, name)) compare(memberOf(from, name), memberOf(to, name), at);
      else if (!Array.isArray(from)) removed.push(at);
    }
  };
  compare(value, output, "");
  return [...new Set(removed.map((path) => path.replaceAll(/(?<=^|\.)\d+(?=\.)/g, "[]")))];
};

/** Whether JSON text has an integer that a double cannot hold, so that writing it again would change it. */
export const roundsIntegers = (text: string): boolean => {
  if (!/\d{16}/.test(text)) return false;
  let rounds = false;
  JSON.parse(text, (_key: string, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source ?? "";
    if (typeof value === "number" && /^-?\d{16,}$/.test(source)) rounds ||= String(value) !== source;
    return value;
  });
  return rounds;
};

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

const memberOf = (holder: object, name: string): unknown => (holder as Record<string, unknown>)[name];
