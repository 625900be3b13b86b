import type { FrameworkError } from "../errors/framework-error.ts";
import { badOption, checkKey } from "./values/state-bounds.ts";
import type { SharedValues } from "./values/shared-values.ts";

/** The shared values for programs, with separate keys and channels. */
export type ProgramValues = Pick<SharedValues, "add" | "get" | "set" | "delete" | "publish" | "subscribe">;

/** Prefix that separates a program's keys and channels from the keys and channels of features. */
const PREFIX = "app:";

/** Creates the view of the shared values for the program; its keys have at most 508 characters. */
export const programValues = (values: SharedValues): ProgramValues => ({
  add: (key, amount, options) => {
    if (typeof options?.ttlMs !== "number") throw noTtl("add(key, 1, { ttlMs: 60_000 })");
    return values.add(withPrefix(key), amount, options);
  },
  get: (key) => values.get(withPrefix(key)),
  set: (key, value, options) => {
    if (typeof options?.ttlMs !== "number") throw noTtl("set(key, value, { ttlMs: 60_000 })");
    return values.set(withPrefix(key), value, options);
  },
  delete: (key) => values.delete(withPrefix(key)),
  publish: async (channel, message, options) =>
    values.publish(withPrefix(channel, "channel"), message, options),
  subscribe(channel, listener, options) {
    if (typeof listener !== "function")
      throw badOption(
        "shared.subscribe takes a function as its second argument: subscribe(channel, (message) => …)",
      );
    return values.subscribe(withPrefix(channel, "channel"), listener, options);
  },
});

/** Checks a name before it gets the prefix: with the prefix, even an invalid name would be valid. */
const withPrefix = (name: string, kind?: "channel"): string => {
  checkKey(name, kind);
  return PREFIX + name;
};

const noTtl = (call: string): FrameworkError =>
  badOption(
    `values of the shared state expire, so options with ttlMs, in milliseconds, are needed: shared.${call}`,
  );
