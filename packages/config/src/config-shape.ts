import type { Problem } from "@framework/core";
import { isPlainObject } from "@framework/core/feature";
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

/** Returns all settings of a shape in declaration order. */
export const settingsOf = (shape: ConfigShape): Setting<unknown>[] =>
  Object.values(shape).flatMap((entry) =>
    isSetting(entry) ? [entry] : isPlainObject(entry) ? settingsOf(entry) : [],
  );

/**
 * Returns a problem for each value that is neither a setting nor a record: untyped programs may pass the name of a variable. The value is not shown,
 * because it may be a secret.
 */
export const entryProblems = (shape: unknown, path: readonly string[] = []): Problem[] => {
  if (isSetting(shape)) return [];
  if (isPlainObject(shape))
    return Object.entries(shape).flatMap(([field, entry]) => entryProblems(entry, [...path, field]));
  const subject = path.length === 0 ? "the shape" : path.join(".");
  const kind = shape === null ? "null" : Array.isArray(shape) ? "a list" : `of type ${typeof shape}`;
  const message = `${subject} is ${kind}; use ${path.length === 0 ? "a record of settings" : 'a setting, such as text("NAME"), or a record of settings'}`;
  return [{ code: "CONFIG_BAD_SETTING", message }];
};

/** Builds the record of a shape; `fieldOf` describes the property of each setting. The record and its nested records are frozen. */
export const buildRecord = (
  shape: ConfigShape,
  fieldOf: (setting: Setting<unknown>) => PropertyDescriptor,
): object => {
  const record = {};
  for (const [field, entry] of Object.entries(shape)) {
    const property = isSetting(entry) ? fieldOf(entry) : { value: partOf(entry, fieldOf) };
    Object.defineProperty(record, field, { ...property, enumerable: true });
  }
  return Object.freeze(record);
};

const partOf = (
  entry: ConfigShape,
  fieldOf: (setting: Setting<unknown>) => PropertyDescriptor,
): object | undefined => (isPlainObject(entry) ? buildRecord(entry, fieldOf) : undefined); // reported by `entryProblems`

/** Returns the problems of the definition: malformed names, names used twice, defaults that violate their own rule, unknown options. */
export const shapeProblems = (settings: readonly Setting<unknown>[]): Problem[] => {
  const usedNames = new Set<string>();
  return settings.flatMap(({ name, defaultProblem, unknownOptions = [] }) => {
    const messages = [...unknownOptions];
    if (!/^[a-z_]\w{0,199}$/i.test(name))
      messages.push(
        `${JSON.stringify(name)} is not a valid variable name: use at most 200 letters, digits and _, not starting with a digit`,
      );
    for (const each of [name, `${name}_FILE`]) {
      if (usedNames.has(each)) messages.push(`two settings use the variable ${each}: rename one`);
      usedNames.add(each);
    }
    if (defaultProblem !== null) messages.push(`the default of ${name} ${defaultProblem}`);
    return messages.map((message) => ({ code: "CONFIG_BAD_SETTING", message }));
  });
};
