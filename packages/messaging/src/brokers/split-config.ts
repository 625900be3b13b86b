import { type ConfigInput, type ConfigRecord, isPlainObject, nearest } from "@framework/core/feature";
import { MessagingConfig } from "../messaging-config.ts";
import type { SharedConfig } from "./config-kinds.ts";

/** A configuration of a broker that carries options of messaging, in its two parts. */
export interface SplitConfig<T> {
  /** Fields of the broker, and unknown ones, which its record refuses. */
  readonly own: ConfigInput<T>;
  /** Fields of `MessagingConfig`, and misspelt ones of it. */
  readonly shared: SharedConfig;
}

const sharedFields: readonly string[] = Object.keys(MessagingConfig.of()).filter(
  (field) => field !== "broker",
);

/** Separates the fields of a broker's record from those of messaging, so that each record reports the mistakes in its own. */
export const splitConfig = <T extends object>(
  record: ConfigRecord<T>,
  config: ConfigInput<T> & SharedConfig,
): SplitConfig<T> => {
  if (!isPlainObject(config)) return { own: config, shared: {} }; // the record refuses it
  const ownFields = Object.keys(record.of());
  const isShared = ([name]: readonly [string, unknown]): boolean => {
    const [meant = name] = nearest(name, [...ownFields, ...sharedFields]); // itself, when it is known
    return !ownFields.includes(meant) && sharedFields.includes(meant);
  };
  const entries: readonly (readonly [string, unknown])[] = Object.entries(config);
  return {
    own: Object.fromEntries(entries.filter((entry) => !isShared(entry))) as ConfigInput<T>,
    shared: Object.fromEntries(entries.filter(isShared)) as SharedConfig,
  };
};
