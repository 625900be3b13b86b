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

/** Maximum number of members in one message. */
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

/** Whether JSON text has a number with more digits than a double holds, so that writing it again would change its value. */
export const roundsNumbers = (text: string): boolean => {
  if (!/[\d.]{16}|\d[eE][-+]?\d{3}/.test(text)) return false;
  let rounds = false;
  JSON.parse(text, (_key: string, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value === "number" && context?.source !== undefined)
      rounds ||= isRounded(value, context.source);
    return value;
  });
  return rounds;
};

/** Whether parsing changed the number. Accepts the shortest digits of a double, and its 17 digits, which other languages write. */
const isRounded = (value: number, source: string): boolean => {
  const digits = digitsOf(source);
  return digits !== digitsOf(String(value)) && digits !== digitsOf(value.toPrecision(17));
};

/** The digits of a number from the first to the last nonzero digit. */
const digitsOf = (source: string): string => {
  const digits = source.replace(/e.*$/i, "").replaceAll(/[-.]/g, "").replace(/^0+/, "");
  let end = digits.length;
  while (digits[end - 1] === "0") end--; // a regular expression would take quadratic time
  return digits.slice(0, end);
};

/** Whether an object in JSON text repeats a name; `value`, parsed from it, has only the last member of each name. */
export const repeatsNames = (text: string, value: unknown): boolean => colonsOf(text) > membersOf(value);

/** Number of colons outside strings, which equals the number of members in the text. */
const colonsOf = (text: string): number => {
  let colons = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') isString = !isString;
    else if (isString && character === "\\") at++;
    else if (!isString && character === ":") colons++;
  }
  return colons;
};

/** Number of members of all objects in a JSON value. */
const membersOf = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 0;
  const items: readonly unknown[] = Object.values(value);
  return items.reduce<number>((sum, item) => sum + membersOf(item), Array.isArray(value) ? 0 : items.length);
};

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

const memberOf = (holder: object, name: string): unknown => (holder as Record<string, unknown>)[name];
