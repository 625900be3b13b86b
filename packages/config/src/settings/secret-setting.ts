import { REDACTED, Secret } from "../secret.ts";
import { type Setting, setting, type SettingRules } from "./setting.ts";

/** Options of `secret`. There is no `default`, because a secret must not be in the source code. */
export interface SecretOptions {
  /** What the secret is for: one line in the table and in `.env.example`. @default "" */
  readonly meaning?: string;
  /** Minimum length in characters. @default 1 */
  readonly minLength?: number;
}

/** A string that is never printed, in a `Secret`; `reveal()` returns it. */
export const secret = (
  name: string,
  { meaning = "", minLength = 1, ...unknown }: SecretOptions = {},
): Setting<Secret> => {
  const wanted = minLength > 1 ? `a secret of at least ${minLength} characters` : "a secret";
  const rules: SettingRules<Secret> = {
    ...unknown,
    meaning,
    wanted,
    isSecret: true,
    show: () => REDACTED,
    parse: (text) =>
      text.length < minLength
        ? { problem: `must be ${wanted}, but has ${text.length}` }
        : { value: new Secret(text) },
  };
  return setting(name, rules, ["minLength"]);
};
