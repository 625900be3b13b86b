import { REDACTED, Secret } from "../secret.ts";
import { type Setting, setting, type SettingRules } from "./setting.ts";

/** Options of `secret`. There is no `default`, because a secret must not be in the source code. */
export interface SecretOptions {
  /** Purpose of the secret: one line in the table and in `.env.example`. @default "" */
  readonly meaning?: string;
  /** Minimum length in characters. @default 1 */
  readonly minLength?: number;
}

/** A string in a `Secret`, which is never printed; `reveal()` returns the string. */
export const secret = (
  name: string,
  { meaning = "", minLength = 1, ...unknownOptions }: SecretOptions = {},
): Setting<Secret> => {
  const expected = minLength > 1 ? `a secret of at least ${minLength} characters` : "a secret";
  const rules: SettingRules<Secret> = {
    ...unknownOptions,
    meaning,
    expected,
    isSecret: true,
    show: () => REDACTED,
    parse: (text) =>
      text.length < minLength
        ? { problem: `must be ${expected}, but has ${text.length}` }
        : { value: new Secret(text) },
  };
  return setting(name, rules, ["minLength"]);
};
