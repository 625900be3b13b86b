import type { Problem } from "@framework/core";
import { isSetting, type Setting } from "./settings/setting.ts";

/** The settings of a program, by field; records may be nested. */
export interface ConfigShape {
  readonly [field: string]: Setting<unknown> | ConfigShape;
}

/** The record that `readConfig` returns for a shape. */
export type ConfigOf<S extends ConfigShape> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T>
    ? T
    : S[K] extends ConfigShape
      ? ConfigOf<S[K]>
      : never;
};

/** All settings of a shape, in its order. */
export const settingsOf = (shape: ConfigShape): Setting<unknown>[] =>
  Object.values(shape).flatMap((entry) => (isSetting(entry) ? [entry] : settingsOf(entry)));

/** Builds the record of a shape; `fieldOf` describes the property of each setting. The record and its nested ones are frozen. */
export const buildRecord = (
  shape: ConfigShape,
  fieldOf: (setting: Setting<unknown>) => PropertyDescriptor,
): object => {
  const record = {};
  for (const [field, entry] of Object.entries(shape)) {
    const property = isSetting(entry) ? fieldOf(entry) : { value: buildRecord(entry, fieldOf) };
    Object.defineProperty(record, field, { ...property, enumerable: true });
  }
  return Object.freeze(record);
};

/** Mistakes of the definition itself: malformed names, names used twice, defaults that their own rule refuses. */
export const shapeProblems = (settings: readonly Setting<unknown>[]): Problem[] => {
  const taken = new Set<string>();
  return settings.flatMap(({ name, defaultProblem }) => {
    const messages: string[] = [];
    if (!/^[a-z_]\w{0,199}$/i.test(name))
      messages.push(`${JSON.stringify(name)} is no name of a variable: use letters, digits and _`);
    for (const each of [name, `${name}_FILE`]) {
      if (taken.has(each)) messages.push(`two settings use the variable ${each}: rename one`);
      taken.add(each);
    }
    if (defaultProblem !== null) messages.push(`the default of ${name} ${defaultProblem}`);
    return messages.map((message) => ({ code: "CONFIG_BAD_SETTING", message }));
  });
};
