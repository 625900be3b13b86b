import type { Bounds } from "@framework/core/feature";
import { type Parsed, type Setting, setting, type SettingOptions } from "./setting.ts";

/** Options of `integer` and `decimal`: inclusive bounds, and the options of every setting. */
export interface NumberOptions extends SettingOptions<number>, Bounds {}

/** A whole number in decimal digits, at least 0 unless `min` or `max` is given. */
export const integer = (name: string, options: NumberOptions = {}): Setting<number> =>
  numeric(name, "a whole number", options, (text) => {
    const value = /^[+-]?\d+$/.test(text) ? Number(text) : NaN;
    return Number.isSafeInteger(value) ? value : NaN;
  });

/** A number such as `0.5`, `-3` or `1e6`, at least 0 unless `min` or `max` is given. */
export const decimal = (name: string, options: NumberOptions = {}): Setting<number> =>
  numeric(name, "a number", options, (text) =>
    /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : NaN,
  );

const numeric = (
  name: string,
  noun: string,
  options: NumberOptions,
  toNumber: (text: string) => number,
): Setting<number> => {
  const { min, max } = options.min === undefined && options.max === undefined ? { min: 0 } : options;
  const expected = noun + range(min, max);
  const rules = {
    ...options,
    expected,
    parse(text: string): Parsed<number> {
      const value = toNumber(text.trim());
      const isWithin = Number.isFinite(value) && value >= (min ?? -Infinity) && value <= (max ?? Infinity);
      return isWithin ? { value } : { problem: `must be ${expected}` };
    },
  };
  return setting(name, rules, ["min", "max"]);
};

const range = (min: number | undefined, max: number | undefined): string => {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  return min === undefined ? ` of at most ${max}` : ` of at least ${min}`;
};
