/** Whether a version is within an npm range: `^1.2.3`, `~1.2.3`, `>=1.2.3`, `1.2.3` and `*`, joined by `||`. True for other ranges, which are not parsed. Except in `1.2.3`, suffixes such as `-beta.1` do not count. */
export const satisfies = (version: string, range: string): boolean =>
  range.split("||").some((part) => satisfiesOne(version, part.trim()));

const satisfiesOne = (version: string, range: string): boolean => {
  const [, operator = "", wanted = ""] = /^(\^|~|>=|)v?(\d+\.\d+\.\d+(?:-[\w.-]+)?)$/.exec(range) ?? [];
  if (wanted === "") return true;
  const [own, minimum] = [numbersOf(version), numbersOf(wanted)];
  if (operator === "") return version === wanted;
  if (compare(own, minimum) < 0) return false;
  if (operator === ">=") return true;
  // A caret fixes the numbers up to the first that is not 0, a tilde the first two.
  const first = minimum.findIndex((number) => number > 0);
  const fixed = operator === "~" ? 2 : first === -1 ? 3 : first + 1;
  return own.slice(0, fixed).every((number, at) => number === minimum[at]);
};

const numbersOf = (version: string): readonly number[] =>
  (version.split("-")[0] ?? "").split(".").map(Number);

/** Compares two versions by the precedence of Semantic Versioning (section 11): below 0 if the first is older. */
export const compareVersions = (one: string, other: string): number =>
  compare(numbersOf(one), numbersOf(other)) || compareSuffixes(suffixOf(one), suffixOf(other));

const compare = (one: readonly number[], other: readonly number[]): number => {
  const at = one.findIndex((number, index) => number !== other[index]);
  return at === -1 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
};

/** Returns the identifiers of a prerelease: `rc` and `1` of `2.0.0-rc.1`. */
const suffixOf = (version: string): readonly string[] =>
  /^[\d.]+-([\w.-]+)/.exec(version)?.[1]?.split(".") ?? [];

/** A version without a suffix is newer than its prereleases. Numbers are compared as numbers, and are older than words. */
const compareSuffixes = (one: readonly string[], other: readonly string[]): number => {
  if (one.length === 0 || other.length === 0) return other.length - one.length;
  const at = one.findIndex((part, index) => part !== other[index]);
  const [left, right] = [one[at], other[at]];
  if (left === undefined || right === undefined) return one.length - other.length;
  const [isNumber, isOtherNumber] = [/^\d+$/.test(left), /^\d+$/.test(right)];
  if (isNumber && isOtherNumber) return Number(left) - Number(right);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return left < right ? -1 : 1;
};
