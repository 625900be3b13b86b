import { FrameworkError } from "@framework/core";
import { describeInvalid } from "@framework/core/feature";
import { checkSignal, isObject } from "./arguments.ts";
import type { ListenOptions } from "./queries.ts";

/** Limits of PostgreSQL: payloads of less than 8000 bytes, and names of at most 63. */
const MAX_PAYLOAD_BYTES = 7999;
const CHANNEL = /^[A-Za-z_][\w.-]{0,62}$/;

/** @throws DATABASE_BAD_NOTIFICATION for a channel or payload that is not portable to every database */
export const checkNotification = (channel: string, payload: string): void => {
  if (typeof channel !== "string" || !CHANNEL.test(channel)) {
    throw badNotification(
      "a channel must have 1 to 63 letters, digits, `_`, `.` or `-`, and begin with a letter or `_`",
    );
  }
  if (
    typeof payload !== "string" ||
    payload.includes("\0") ||
    Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES
  ) {
    throw badNotification(`a payload must be a string of at most ${MAX_PAYLOAD_BYTES} bytes without NUL`);
  }
};

/** @throws DATABASE_BAD_NOTIFICATION unless the listener and `onGap` are functions; DATABASE_BAD_SIGNAL */
export const checkListening = (listener: unknown, options: ListenOptions): void => {
  if (typeof listener !== "function")
    throw badNotification(`listen needs a channel and a function, not ${describeInvalid(listener)}`);
  if (!isObject(options))
    throw badNotification(`the options of listen must be an object, not ${describeInvalid(options)}`);
  const { onGap, signal } = options;
  if (onGap !== undefined && typeof onGap !== "function")
    throw badNotification(`onGap must be a function, not ${describeInvalid(onGap)}`);
  if (signal !== undefined) checkSignal(signal);
};

const badNotification = (problem: string): FrameworkError =>
  new FrameworkError("DATABASE_BAD_NOTIFICATION", problem);
