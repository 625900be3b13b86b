import type { SharedValues } from "./values/shared-values.ts";

/** The part of the shared values that programs use, under keys and channels of their own. */
export type ProgramValues = Pick<SharedValues, "add" | "get" | "set" | "delete" | "publish" | "subscribe">;

/** Keeps a program's keys and channels apart from those of features. */
const PREFIX = "app:";

/** Creates the view of the shared values for the program; its keys have at most 508 characters. */
export const programValues = (values: SharedValues): ProgramValues => ({
  add: (key, amount, options) => values.add(PREFIX + key, amount, options),
  get: (key) => values.get(PREFIX + key),
  set: (key, value, options) => values.set(PREFIX + key, value, options),
  delete: (key) => values.delete(PREFIX + key),
  publish: (channel, message, options) => values.publish(PREFIX + channel, message, options),
  subscribe: (channel, listener, options) => values.subscribe(PREFIX + channel, listener, options),
});
