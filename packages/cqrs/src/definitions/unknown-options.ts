import { unknownFields } from "@framework/core/feature";

/** Names of the options of a command or query, and of the members of options that are objects. */
export interface OptionNames {
  readonly options: Readonly<Record<string, true>>;
  readonly http: Readonly<Record<string, true>>;
  readonly cache?: Readonly<Record<string, true>>;
}

/** Reports unknown options of a command or query, its endpoint and its cache: otherwise a misspelt `guards` would admit every caller. */
export const unknownOptions = (
  options: { readonly http?: unknown; readonly cache?: unknown },
  names: OptionNames,
): readonly string[] => [
  ...unknownIn("it", options, names.options),
  ...unknownIn("http", options.http, names.http),
  ...unknownIn("cache", options.cache, names.cache ?? {}),
];

const unknownIn = (name: string, value: unknown, known: Readonly<Record<string, true>>): readonly string[] =>
  typeof value === "object" && value !== null ? unknownFields(name, value, Object.keys(known)) : [];
