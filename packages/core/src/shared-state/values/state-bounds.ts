import { FrameworkError } from "../../errors/framework-error.ts";
import { utf8Length } from "../../exchange/payload.ts";
import type { AddOptions, Json, PublishOptions, RaiseOptions } from "./shared-values.ts";

/** Maximum number of UTF-16 code units of a key or channel name. */
export const MAX_KEY_LENGTH = 512;
/** Maximum number of bytes of a value or message as JSON. */
export const MAX_VALUE_BYTES = 65_536;

/** Checks a key, or the name of a channel or group. @throws CORE_SHARED_STATE_BAD_KEY */
export const checkKey = (key: string, kind: "key" | "channel" | "group" = "key"): void => {
  if (typeof key === "string" && key.length > 0 && key.length <= MAX_KEY_LENGTH) return;
  throw new FrameworkError(
    "CORE_SHARED_STATE_BAD_KEY",
    `a ${kind} of the shared state must be a string of 1 to ${MAX_KEY_LENGTH} characters`,
  );
};

/** Checks a time to live in milliseconds. @throws CORE_SHARED_STATE_BAD_OPTION */
export const checkTtl = (ttlMs: number): void => {
  if (Number.isFinite(ttlMs) && ttlMs > 0) return;
  throw badOption("ttlMs must be a number of milliseconds above 0");
};

/** Checks an addition. @throws CORE_SHARED_STATE_BAD_KEY, CORE_SHARED_STATE_BAD_OPTION */
export const checkAddition = (key: string, amount: number, { ttlMs, max }: AddOptions): void => {
  checkKey(key);
  checkTtl(ttlMs);
  if (!Number.isFinite(amount)) throw badOption("the amount must be a finite number");
  if (max !== undefined && !(typeof max === "number" && max >= 0))
    throw badOption("max must be a number of at least 0");
};

/** Checks a raise. @throws CORE_SHARED_STATE_BAD_KEY, CORE_SHARED_STATE_BAD_VALUE, CORE_SHARED_STATE_BAD_OPTION */
export const checkRaise = (key: string, value: number, { ttlMs, group, maxKeys }: RaiseOptions): void => {
  checkKey(key);
  checkKey(group, "group");
  checkTtl(ttlMs);
  if (!Number.isSafeInteger(value) || value < 0)
    throw badValue("a raised value must be a whole number from 0 to 2^53 - 1");
  if (!Number.isSafeInteger(maxKeys) || maxKeys < 1)
    throw badOption("maxKeys must be a whole number of at least 1");
};

/** Checks a publication. @throws CORE_SHARED_STATE_BAD_KEY, CORE_SHARED_STATE_BAD_OPTION */
export const checkPublication = (channel: string, { waitMs }: PublishOptions): void => {
  checkKey(channel, "channel");
  if (waitMs === undefined || (typeof waitMs === "number" && waitMs >= 0)) return;
  throw badOption("waitMs must be a number of milliseconds of at least 0");
};

/**
 * Returns the JSON text of a value.
 *
 * @throws CORE_SHARED_STATE_BAD_VALUE when the value is not JSON, is nested too deeply, or exceeds `MAX_VALUE_BYTES`
 */
export const toText = (value: Json): string => {
  const text = serialize(value);
  if (text.length * 3 <= MAX_VALUE_BYTES || utf8Length(text) <= MAX_VALUE_BYTES) return text;
  throw badValue(`a value of the shared state may have at most ${MAX_VALUE_BYTES} bytes as JSON`);
};

const serialize = (value: Json): string => {
  if (typeof value === "number" && !Number.isFinite(value)) throw badValue(`${value} is not a JSON value`);
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw badValue("the value cannot be serialized as JSON", cause);
  }
  if (text === undefined) throw badValue(`a ${typeof value} is not a JSON value`);
  return text;
};

/** Creates the error of an invalid option. */
export const badOption = (message: string): FrameworkError =>
  new FrameworkError("CORE_SHARED_STATE_BAD_OPTION", message);

const badValue = (message: string, cause?: unknown): FrameworkError =>
  new FrameworkError("CORE_SHARED_STATE_BAD_VALUE", message, cause === undefined ? undefined : { cause });
