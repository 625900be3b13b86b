import { type ConfigInput, type ConfigRecord, isPlainObject, nearest } from "@framework/core/feature";
import { MessagingConfig } from "../messaging-config.ts";
import type { SharedConfig } from "./config-kinds.ts";

/** The two parts of a broker's configuration that includes messaging options. */
export interface SplitConfig<T> {
  /** Fields of the broker's record, and unknown ones, which the record rejects. */
  readonly own: ConfigInput<T>;
  /** Fields of `MessagingConfig`, including misspelt ones. */
  readonly shared: SharedConfig;
}

const sharedFields: readonly string[] = Object.keys(MessagingConfig.of()).filter(
  (field) => field !== "broker",
);

/** Separates the fields of a broker's record from the fields of `MessagingConfig`, so that each record reports mistakes in its own fields. */
export const splitConfig = <T extends object>(
  record: ConfigRecord<T>,
  config: ConfigInput<T> & SharedConfig,
): SplitConfig<T> => {
  if (!isPlainObject(config)) return { own: config, shared: {} }; // the record rejects it
  const ownFields = Object.keys(record.of());
  const isShared = ([name]: readonly [string, unknown]): boolean => {
    const [meant = name] = nearest(name, [...ownFields, ...sharedFields]); // returns `name` if it is known
    return !ownFields.includes(meant) && sharedFields.includes(meant);
  };
  const entries: readonly (readonly [string, unknown])[] = Object.entries(config);
  return {
    own: Object.fromEntries(entries.filter((entry) => !isShared(entry))) as ConfigInput<T>,
    shared: Object.fromEntries(entries.filter(isShared)) as SharedConfig,
  };
};
