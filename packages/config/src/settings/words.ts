import { type Setting, setting, type SettingOptions } from "./setting.ts";

/** Any text; an empty variable counts as not set. */
export const text = (name: string, options: SettingOptions<string> = {}): Setting<string> =>
  setting(name, { ...options, expected: "text", parse: (value) => ({ value }) });

/** One of the given words, case-sensitive; white space around it is ignored. */
export const oneOf = <const T extends string>(
  name: string,
  words: readonly T[],
  options: SettingOptions<NoInfer<T>> = {},
): Setting<T> => {
  const expected = `one of ${words.join(", ")}`;
  return setting<T>(name, {
    ...options,
    expected,
    parse(text) {
      const value = words.find((word) => word === text.trim());
      return value === undefined ? { problem: `must be ${expected}` } : { value };
    },
  });
};

/** True or false: `true`, `on`, `yes`, `1` or `false`, `off`, `no`, `0`, case-insensitive. */
export const flag = (name: string, options: SettingOptions<boolean> = {}): Setting<boolean> =>
  setting(name, {
    ...options,
    expected: "true or false",
    parse(text) {
      const word = text.trim().toLowerCase();
      if (["true", "on", "yes", "1"].includes(word)) return { value: true };
      if (["false", "off", "no", "0"].includes(word)) return { value: false };
      return { problem: "must be true or false (or on, off, yes, no, 1, 0)" };
    },
  });
