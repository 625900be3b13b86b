import type { FieldRule } from "./config-record.ts";

/** Bounds of a number, both inclusive. */
export interface Bounds {
  /** Smallest allowed value. */
  readonly min?: number;
  /** Largest allowed value. */
  readonly max?: number;
}

const within = (value: number, { min = -Infinity, max = Infinity }: Bounds): boolean =>
  value >= min && value <= max;

const range = ({ min, max }: Bounds): string => {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max === undefined ? "" : ` of at most ${max}`;
};

/** A whole number, by default of at least 0. */
export const integer = (initial: number, bounds: Bounds = { min: 0 }): FieldRule<number> => ({
  default: initial,
  problem: (value) =>
    Number.isSafeInteger(value) && within(value as number, bounds)
      ? null
      : `must be a whole number${range(bounds)}`,
});

/** A finite number, by default of at least 0. */
export const decimal = (initial: number, bounds: Bounds = { min: 0 }): FieldRule<number> => ({
  default: initial,
  problem: (value) =>
    Number.isFinite(value) && within(value as number, bounds) ? null : `must be a number${range(bounds)}`,
});

/** True or false. */
export const flag = (initial: boolean): FieldRule<boolean> => ({
  default: initial,
  problem: (value) => (typeof value === "boolean" ? null : "must be true or false"),
});

/** A non-empty string. */
export const text = (initial: string): FieldRule<string> => ({
  default: initial,
  problem: (value) => (typeof value === "string" && value !== "" ? null : "must be a non-empty string"),
});

/** One of a few words. */
export const oneOf = <const T extends string>(initial: T, words: readonly T[]): FieldRule<T> => ({
  default: initial,
  problem: (value) => (words.includes(value as T) ? null : `must be one of ${words.join(", ")}`),
});

/** A list whose items all pass `isItem`. */
export const list = <T>(
  initial: readonly T[],
  items: string,
  isItem: (item: unknown) => boolean,
): FieldRule<readonly T[]> => ({
  default: initial,
  problem: (value) => (Array.isArray(value) && value.every(isItem) ? null : `must be a list of ${items}`),
});

/** A field that may be absent; `undefined` means "not set". */
export const optional = <T>(rule: Omit<FieldRule<T>, "default">): FieldRule<T | undefined> => ({
  ...rule,
  default: undefined,
});

/** A field that may hold a secret, such as a key or a URL with a password: messages leave its value out. */
export const secret = <Rule extends object>(rule: Rule): Rule & { readonly isSecret: true } => ({
  ...rule,
  isSecret: true,
});

/** A field with a custom check; `wanted` completes "must be". */
export const checked = <T>(
  initial: T,
  wanted: string,
  isValid: (value: unknown) => boolean,
): FieldRule<T> => ({
  default: initial,
  problem: (value) => (isValid(value) ? null : `must be ${wanted}`),
});
