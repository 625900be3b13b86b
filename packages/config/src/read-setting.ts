import type { Problem } from "@framework/core";
import type { SettingSource } from "./config-sources.ts";
import type { Setting } from "./settings/setting.ts";
import { findText } from "./sources/find-text.ts";
import type { Source } from "./sources/sources.ts";

/** A setting after reading: its property in the record, and the source of its value. */
export interface SettingReading {
  readonly isSet: boolean;
  readonly field: PropertyDescriptor;
  readonly source: SettingSource;
}

/** Thrown when a check reads a setting that was refused. */
export const refusedMark: unique symbol = Symbol("refused setting");

/** The property of a refused setting, which only checks can read: the record is never returned. */
export const refusedField: PropertyDescriptor = {
  get(): never {
    // oxlint-disable-next-line typescript/only-throw-error -- ends one check, and is caught around it
    throw refusedMark;
  },
};

/** Reads one setting; adds its problems to `problems`. */
export const readSetting = (
  setting: Setting<unknown>,
  sources: readonly Source[],
  problems: Problem[],
): SettingReading => {
  const { name, whenUnset, parse, show } = setting;
  const found = findText(name, sources, problems);
  const shown = whenUnset === null || whenUnset.text === "" ? "" : show(whenUnset.text);
  const defaultSource: SettingSource = { name, source: "default", shown };
  if (found === null) return { isSet: true, field: refusedField, source: defaultSource };
  if (found === undefined) {
    if (whenUnset !== null) return { isSet: false, field: { value: whenUnset.value }, source: defaultSource };
    problems.push({ code: "CONFIG_MISSING", message: missing(setting) });
    return { isSet: false, field: refusedField, source: defaultSource };
  }
  const source = { name, source: found.source, shown: show(found.text) };
  const parsed = parse(found.text);
  if ("value" in parsed) return { isSet: true, field: { value: parsed.value }, source };
  const but = setting.isSecret ? "" : `, but is ${source.shown}`;
  const message = `${name} ${parsed.problem}${but} (${found.location})`;
  problems.push({ code: "CONFIG_INVALID", message });
  return { isSet: true, field: refusedField, source };
};

const missing = ({ name, expected, meaning }: Setting<unknown>): string =>
  `${name} is missing${meaning === "" ? "" : ` (${meaning})`}: set it to ${expected}, or ${name}_FILE to a file with it`;
