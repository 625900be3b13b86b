import { FrameworkError } from "@framework/core";

/** Source of the value of a setting. */
export interface SettingSource {
  /** Name of the variable. */
  readonly name: string;
  /** `environment`, `.env.local`, `TOKEN_FILE (environment)` or `default`. */
  readonly source: string;
  /** The value for display: secrets as `[redacted]`, URLs without credentials; empty if absent. */
  readonly shown: string;
}

const sources = new WeakMap<object, readonly SettingSource[]>();

/** Stores the sources of a configuration. */
export const rememberSources = (config: object, of: readonly SettingSource[]): void => {
  sources.set(config, Object.freeze(of));
};

/** Returns the source of each setting of a configuration, in declaration order. @throws FrameworkError CONFIG_NOT_READ */
export const configSources = (config: object): readonly SettingSource[] => {
  const found = sources.get(config);
  if (found !== undefined) return found;
  const message =
    "the object is not a configuration: pass the record that readConfig returned, not a part or a copy";
  throw new FrameworkError("CONFIG_NOT_READ", message);
};

/**
 * Returns a configuration as text, a line for each setting: its name, value and source.
 *
 * Safe to log: secrets are redacted, and URLs are shown without credentials. @throws FrameworkError CONFIG_NOT_READ
 */
export const configSummary = (config: object): string => {
  const rows = configSources(config);
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  return rows
    .map(
      ({ name, shown, source }) => `${name.padEnd(width)}  ${shown === "" ? "(not set)" : shown}  ${source}`,
    )
    .join("\n");
};
