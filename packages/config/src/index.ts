// For applications: settings of a program from the environment.
export { readConfig, type ReadConfigOptions } from "./read-config.ts";
export type { ConfigOf, ConfigShape } from "./config-shape.ts";
export { decimal, integer, type NumberOptions } from "./settings/numbers.ts";
export { flag, oneOf, text } from "./settings/words.ts";
export { list, type ListOptions } from "./settings/list.ts";
export { url, type UrlOptions } from "./settings/url.ts";
export { secret, type SecretOptions } from "./settings/secret-setting.ts";
export { checked, type CheckedOptions } from "./settings/checked.ts";
export { optional, type Parsed, type Setting, type SettingOptions, type Unset } from "./settings/setting.ts";
export { Secret } from "./secret.ts";
export { configSources, configSummary, type SettingSource } from "./config-sources.ts";
export { configTable, describeConfig, envExample, type SettingDescription } from "./describe-config.ts";
export type { Variables } from "./sources/sources.ts";
export { configErrors } from "./error-codes.ts";
